import type { PolicyRule } from "./authorizer.ts";

const words = (text: string): readonly string[] => text.split(" ");
const allow = (verbs: string, group: string, resources: string): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: [group],
  resources: words(resources),
});

/**
 * The permissions of all nodes (upstream `rbac/bootstrappolicy.NodeRules`), some of which the node authorizer
 * restricts. The ClusterRole `system:node` shows these rules; changing that role has no effect on nodes.
 */
export const nodeRules: readonly PolicyRule[] = [
  allow("create", "authentication.k8s.io", "tokenreviews"),
  allow("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
  allow("get list watch", "", "services"),
  allow("create get list watch", "", "nodes"),
  allow("patch update", "", "nodes/status"),
  allow("patch update", "", "nodes"),
  { verbs: ["create", "patch", "update"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
  allow("get list watch", "", "pods"),
  allow("create delete", "", "pods"),
  allow("patch update", "", "pods/status"),
  allow("create", "", "pods/eviction"),
  allow("get list watch", "", "configmaps secrets"),
  allow("get", "", "persistentvolumeclaims persistentvolumes"),
  allow("get", "", "endpoints"),
  allow("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
  allow("create delete get patch update", "coordination.k8s.io", "leases"),
  allow("get", "storage.k8s.io", "volumeattachments"),
  allow("create", "", "serviceaccounts/token"),
  allow("get patch update", "", "persistentvolumeclaims/status"),
  allow("get list watch", "storage.k8s.io", "csidrivers"),
  allow("create delete get patch update", "storage.k8s.io", "csinodes"),
  allow("get list watch", "node.k8s.io", "runtimeclasses"),
  allow("get", "resource.k8s.io", "resourceclaims"),
  allow("deletecollection", "resource.k8s.io", "resourceslices"),
  allow("get", "", "serviceaccounts"),
];
