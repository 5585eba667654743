import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { labelProblems } from "../../../meta/validation/dns.ts";
import { defaultService } from "./defaults.ts";
import { serviceColumns } from "./printer.ts";
import type { Service } from "./schema.ts";
import { validateService } from "./validation.ts";
import { validateLoadBalancerStatus, validateServiceUpdate } from "./validation-update.ts";
import { serviceWarnings } from "./warnings.ts";
import { dropTypeDependentFields, keepAllocated, normalizeClusterIps } from "./cluster-ips.ts";

/** The API server allocates cluster IPs and node ports between `prepareForCreate` and `validate`. */
export const serviceStrategy: Strategy<Service> = {
  setDefaults: defaultService,
  prepareForCreate: ({ spec }) => normalizeClusterIps(spec, undefined),
  prepareForUpdate,
  validateName: labelProblems,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  parts: { status: { validate: validateLoadBalancerStatus } },
  warnings: serviceWarnings,
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  columns: serviceColumns,
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
};

function prepareForUpdate(draft: Draft<Service>, old: Service, { subresource }: StrategyContext): void {
  if (subresource !== "") return;
  keepAllocated(draft.spec, old.spec);
  normalizeClusterIps(draft.spec, old.spec);
  dropTypeDependentFields(draft, old);
}
