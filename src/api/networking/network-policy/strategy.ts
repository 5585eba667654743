import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { networkPolicyColumns } from "./printer.ts";
import type { NetworkPolicy } from "./schema.ts";
import { validateNetworkPolicy } from "./validation.ts";
import { networkPolicyWarnings } from "./warnings.ts";

export const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  setDefaults: defaultTypes,
  validateCreate: (policy) => validateNetworkPolicy(policy),
  validateUpdate: validateNetworkPolicy,
  warnings: networkPolicyWarnings,
  generation: true,
  columns: networkPolicyColumns,
};

/** Defaults the policy types to Ingress, and to Egress if there are egress rules. */
function defaultTypes({ spec }: Draft<NetworkPolicy>): void {
  spec.policyTypes ??= spec.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"];
}
