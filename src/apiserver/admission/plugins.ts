import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificates.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/plugin.ts";
import type { AdmissionPlugin } from "./plugin.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { priority } from "./priority.ts";
import { rbacEscalation } from "./rbac-escalation.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { resourceQuota } from "./resource-quota/plugin.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
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
    defaultStorageClass,
    storageObjectInUseProtection,
    persistentVolumeClaimResize,
    runtimeClass,
    rbacEscalation,
    certificateApproval,
    certificateSigning,
    certificateSubjectRestriction,
    defaultIngressClass,
    serviceAddresses(options),
    resourceQuota(),
  ];
}
