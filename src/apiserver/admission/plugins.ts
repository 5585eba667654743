import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificates.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/plugin.ts";
import type { AdmissionPlugin } from "./plugin.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { priority } from "./priority.ts";
import { rbacEscalation } from "./rbac-escalation.ts";
import { resourceQuota } from "./resource-quota/plugin.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { taintNewNodes } from "./taint-new-nodes.ts";
import { serviceAddresses, type ServiceRanges } from "./service-addresses.ts";

/** Returns the admission plugins in the order in which they run. */
export function admissionPlugins(options: ServiceRanges): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle,
    serviceAccount,
    limitRanger,
    nodeRestriction,
    taintNewNodes,
    priority,
    defaultTolerationSeconds,
    runtimeClass,
    rbacEscalation,
    certificateApproval,
    certificateSigning,
    certificateSubjectRestriction,
    serviceAddresses(options),
    resourceQuota(),
  ];
}
