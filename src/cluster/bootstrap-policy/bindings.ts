import { binding, group, serviceAccount, user, type BootstrapBinding } from "./language.ts";

/** The initial role bindings. */
export const bindings: readonly BootstrapBinding[] = [
  binding("cluster-admin", [group("system:masters")]),
  binding("system:basic-user", [group("system:authenticated")]),
  binding("system:discovery", [group("system:authenticated")]),
  binding("system:kube-controller-manager", [user("system:kube-controller-manager")]),
  binding("system:kube-dns", [serviceAccount("kube-dns")]),
  binding("system:kube-scheduler", [user("system:kube-scheduler")]),
  binding("system:monitoring", [group("system:monitoring")]),
  binding("system:coredns", [serviceAccount("coredns")]),
  binding("system:local-path-provisioner", [serviceAccount("local-path-provisioner")]),
  binding("system:ingress-controller", [serviceAccount("ingress-controller")]),
  binding("system:network-policy-controller", [serviceAccount("network-policy-controller")]),
  // No subjects: the node authorizer grants each node its own permissions.
  binding("system:node", []),
  binding("system:node-proxier", [user("system:kube-proxy")]),
  binding("system:public-info-viewer", [group("system:authenticated"), group("system:unauthenticated")]),
  binding("system:service-account-issuer-discovery", [group("system:serviceaccounts")]),
  binding("system:volume-scheduler", [user("system:kube-scheduler")]),
  binding("system:controller:attachdetach-controller", [serviceAccount("attachdetach-controller")]),
  binding("system:controller:certificate-controller", [serviceAccount("certificate-controller")]),
  binding("system:controller:clusterrole-aggregation-controller", [
    serviceAccount("clusterrole-aggregation-controller"),
  ]),
  binding("system:controller:cronjob-controller", [serviceAccount("cronjob-controller")]),
  binding("system:controller:daemon-set-controller", [serviceAccount("daemon-set-controller")]),
  binding("system:controller:deployment-controller", [serviceAccount("deployment-controller")]),
  binding("system:controller:device-taint-eviction-controller", [
    serviceAccount("device-taint-eviction-controller"),
  ]),
  binding("system:controller:disruption-controller", [serviceAccount("disruption-controller")]),
  binding("system:controller:endpoint-controller", [serviceAccount("endpoint-controller")]),
  binding("system:controller:endpointslice-controller", [serviceAccount("endpointslice-controller")]),
  binding("system:controller:endpointslicemirroring-controller", [
    serviceAccount("endpointslicemirroring-controller"),
  ]),
  binding("system:controller:ephemeral-volume-controller", [serviceAccount("ephemeral-volume-controller")]),
  binding("system:controller:expand-controller", [serviceAccount("expand-controller")]),
  binding("system:controller:generic-garbage-collector", [serviceAccount("generic-garbage-collector")]),
  binding("system:controller:horizontal-pod-autoscaler", [serviceAccount("horizontal-pod-autoscaler")]),
  binding("system:controller:job-controller", [serviceAccount("job-controller")]),
  binding("system:controller:legacy-service-account-token-cleaner", [
    serviceAccount("legacy-service-account-token-cleaner"),
  ]),
  binding("system:controller:namespace-controller", [serviceAccount("namespace-controller")]),
  binding("system:controller:node-controller", [serviceAccount("node-controller")]),
  binding("system:controller:persistent-volume-binder", [serviceAccount("persistent-volume-binder")]),
  binding("system:controller:pod-garbage-collector", [serviceAccount("pod-garbage-collector")]),
  binding("system:controller:pv-protection-controller", [serviceAccount("pv-protection-controller")]),
  binding("system:controller:pvc-protection-controller", [serviceAccount("pvc-protection-controller")]),
  binding("system:controller:replicaset-controller", [serviceAccount("replicaset-controller")]),
  binding("system:controller:replication-controller", [serviceAccount("replication-controller")]),
  binding("system:controller:resource-claim-controller", [serviceAccount("resource-claim-controller")]),
  binding("system:controller:resourcequota-controller", [serviceAccount("resourcequota-controller")]),
  binding("system:controller:root-ca-cert-publisher", [serviceAccount("root-ca-cert-publisher")]),
  binding("system:controller:route-controller", [serviceAccount("route-controller")]),
  binding("system:controller:selinux-warning-controller", [serviceAccount("selinux-warning-controller")]),
  binding("system:controller:service-account-controller", [serviceAccount("service-account-controller")]),
  binding("system:controller:service-cidrs-controller", [serviceAccount("service-cidrs-controller")]),
  binding("system:controller:service-controller", [serviceAccount("service-controller")]),
  binding("system:controller:statefulset-controller", [serviceAccount("statefulset-controller")]),
  binding("system:controller:ttl-after-finished-controller", [
    serviceAccount("ttl-after-finished-controller"),
  ]),
  binding("system:controller:ttl-controller", [serviceAccount("ttl-controller")]),
  binding("system:controller:validatingadmissionpolicy-status-controller", [
    serviceAccount("validatingadmissionpolicy-status-controller"),
  ]),
  binding("system:controller:volumeattributesclass-protection-controller", [
    serviceAccount("volumeattributesclass-protection-controller"),
  ]),
  binding("system:controller:bootstrap-signer", [serviceAccount("bootstrap-signer")], {
    namespace: "kube-public",
    of: "Role",
  }),
  binding(
    "extension-apiserver-authentication-reader",
    [user("system:kube-controller-manager"), user("system:kube-scheduler")],
    { name: "system::extension-apiserver-authentication-reader", namespace: "kube-system", of: "Role" },
  ),
  binding(
    "system::leader-locking-kube-controller-manager",
    [
      user("system:kube-controller-manager"),
      serviceAccount("kube-controller-manager"),
      serviceAccount("leader-election-controller"),
    ],
    { namespace: "kube-system", of: "Role" },
  ),
  binding(
    "system::leader-locking-kube-scheduler",
    [user("system:kube-scheduler"), serviceAccount("kube-scheduler")],
    { namespace: "kube-system", of: "Role" },
  ),
  binding("system:controller:bootstrap-signer", [serviceAccount("bootstrap-signer")], {
    namespace: "kube-system",
    of: "Role",
  }),
  binding("system:controller:cloud-provider", [serviceAccount("cloud-provider")], {
    namespace: "kube-system",
    of: "Role",
  }),
  binding("system:controller:token-cleaner", [serviceAccount("token-cleaner")], {
    namespace: "kube-system",
    of: "Role",
  }),
];
