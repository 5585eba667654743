import { allow, role, type BootstrapRole } from "./language.ts";

/** Roles inside the system's namespaces (upstream `rbac/bootstrappolicy/namespace_policy.go`). */
export const namespaceRoles: readonly BootstrapRole[] = [
  role(
    "system:controller:bootstrap-signer",
    [
      allow("get list watch", "core", "configmaps"),
      allow("update", "core", "configmaps", "cluster-info"),
      allow("create patch update", "core events.k8s.io", "events"),
    ],
    { namespace: "kube-public" },
  ),
  role(
    "extension-apiserver-authentication-reader",
    [allow("get list watch", "core", "configmaps", "extension-apiserver-authentication")],
    { namespace: "kube-system" },
  ),
  role(
    "system::leader-locking-kube-controller-manager",
    [
      allow("create get list update watch", "coordination.k8s.io", "leases"),
      allow("create get list update watch", "coordination.k8s.io", "leasecandidates"),
    ],
    { namespace: "kube-system" },
  ),
  role(
    "system::leader-locking-kube-scheduler",
    [
      allow("create get list update watch", "coordination.k8s.io", "leases"),
      allow("create get list update watch", "coordination.k8s.io", "leasecandidates"),
    ],
    { namespace: "kube-system" },
  ),
  role("system:controller:bootstrap-signer", [allow("get list watch", "core", "secrets")], {
    namespace: "kube-system",
  }),
  role("system:controller:cloud-provider", [allow("create get list watch", "core", "configmaps")], {
    namespace: "kube-system",
  }),
  role(
    "system:controller:token-cleaner",
    [
      allow("delete get list watch", "core", "secrets"),
      allow("create patch update", "core events.k8s.io", "events"),
    ],
    { namespace: "kube-system" },
  ),
];
