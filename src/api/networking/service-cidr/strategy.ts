import type { Strategy } from "../../../meta/strategy.ts";
import { keepMetadata } from "../../status-metadata.ts";
import { serviceCIDRColumns } from "./printer.ts";
import type { ServiceCIDR } from "./schema.ts";
import { validateServiceCIDR, validateServiceCIDRUpdate } from "./validation.ts";

export const serviceCIDRStrategy: Strategy<ServiceCIDR> = {
  prepareForUpdate(draft, old, { subresource }) {
    if (subresource === "status") keepMetadata(draft.metadata, old.metadata);
  },
  validateCreate: validateServiceCIDR,
  validateUpdate: validateServiceCIDRUpdate,
  columns: serviceCIDRColumns,
};
