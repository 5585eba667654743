import type { Strategy } from "../../../meta/strategy.ts";
import { canonicalIpProblems } from "../../../meta/validation/ip.ts";
import { ipAddressColumns } from "./printer.ts";
import type { IPAddress } from "./schema.ts";
import { validateIPAddress, validateSameParent } from "./validation.ts";

export const ipAddressStrategy: Strategy<IPAddress> = {
  validateName: canonicalIpProblems,
  validate: validateIPAddress,
  validateUpdate: validateSameParent,
  columns: ipAddressColumns,
};
