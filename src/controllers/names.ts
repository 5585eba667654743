/**
 * Upstream's names of controllers that are no controller of this package
 * (`cmd/kube-controller-manager/app/controller_descriptor.go`).
 */

/** The earlier name of each controller, which `--controllers` still takes. */
export const controllerAliases: ReadonlyMap<string, string> = new Map([
  ["attachdetach", "persistentvolume-attach-detach-controller"],
  ["bootstrapsigner", "bootstrap-signer-controller"],
  ["cloud-node-lifecycle", "cloud-node-lifecycle-controller"],
  ["clusterrole-aggregation", "clusterrole-aggregation-controller"],
  ["cronjob", "cronjob-controller"],
  ["csrapproving", "certificatesigningrequest-approving-controller"],
  ["csrcleaner", "certificatesigningrequest-cleaner-controller"],
  ["csrsigning", "certificatesigningrequest-signing-controller"],
  ["daemonset", "daemonset-controller"],
  ["deployment", "deployment-controller"],
  ["disruption", "disruption-controller"],
  ["endpoint", "endpoints-controller"],
  ["endpointslice", "endpointslice-controller"],
  ["endpointslicemirroring", "endpointslice-mirroring-controller"],
  ["ephemeral-volume", "ephemeral-volume-controller"],
  ["garbagecollector", "garbage-collector-controller"],
  ["horizontalpodautoscaling", "horizontal-pod-autoscaler-controller"],
  ["job", "job-controller"],
  ["legacy-service-account-token-cleaner", "legacy-serviceaccount-token-cleaner-controller"],
  ["namespace", "namespace-controller"],
  ["nodeipam", "node-ipam-controller"],
  ["nodelifecycle", "node-lifecycle-controller"],
  ["persistentvolume-binder", "persistentvolume-binder-controller"],
  ["persistentvolume-expander", "persistentvolume-expander-controller"],
  ["podgc", "pod-garbage-collector-controller"],
  ["pv-protection", "persistentvolume-protection-controller"],
  ["pvc-protection", "persistentvolumeclaim-protection-controller"],
  ["replicaset", "replicaset-controller"],
  ["replicationcontroller", "replicationcontroller-controller"],
  ["resource-claim-controller", "resourceclaim-controller"],
  ["resourcequota", "resourcequota-controller"],
  ["root-ca-cert-publisher", "root-ca-certificate-publisher-controller"],
  ["route", "node-route-controller"],
  ["service", "service-lb-controller"],
  ["serviceaccount", "serviceaccount-controller"],
  ["serviceaccount-token", "serviceaccount-token-controller"],
  ["statefulset", "statefulset-controller"],
  ["storage-version-gc", "storageversion-garbage-collector-controller"],
  ["svm", "storage-version-migrator-controller"],
  ["tokencleaner", "token-cleaner-controller"],
  ["ttl", "ttl-controller"],
  ["ttl-after-finished", "ttl-after-finished-controller"],
]);

const gate = (name: string) => `its feature gate ${name} is off by default`;
const cloud = "it belongs to a cloud provider";

/** The controllers that upstream does not run by default either, though they are not off by default, with the reason. */
export const inapplicableControllers: ReadonlyMap<string, string> = new Map([
  ["cloud-node-lifecycle-controller", cloud],
  ["kube-apiserver-serving-clustertrustbundle-publisher-controller", gate("ClusterTrustBundle")],
  ["node-route-controller", cloud],
  ["podcertificaterequest-cleaner-controller", gate("PodCertificateRequest")],
  ["podgroup-protection-controller", gate("GenericWorkload")],
  ["resourcepoolstatusrequest-controller", gate("DRAResourcePoolStatus")],
  ["storage-version-migrator-controller", gate("StorageVersionMigrator")],
  ["storageversion-garbage-collector-controller", gate("StorageVersionAPI")],
]);

/** Upstream's controllers that are not implemented. */
export const missingControllers: ReadonlySet<string> = new Set([
  // Upstream runs it only if it is named.
  "selinux-warning-controller",
]);
