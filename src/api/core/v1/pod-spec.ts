import {
  type Out,
  atomicMap,
  boolean,
  int32,
  int64,
  keyed,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { LocalObjectReference } from "./reference.ts";
import { ResourceRequirements } from "./resources.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./scheduling.ts";
import { PodSecurityContext } from "./security.ts";
import { Volume } from "./volume.ts";

const message = messages("io.k8s.api.core.v1");

export const PodDNSConfigOption = message("PodDNSConfigOption", "A pod dns config option.", {
  name: optional(1, string, "The name."),
  value: pointer(2, string, "The value."),
});
export type PodDNSConfigOption = Out<typeof PodDNSConfigOption>;

export const PodDNSConfig = message("PodDNSConfig", "A pod dns config.", {
  nameservers: optional(1, list(string), "The nameservers."),
  searches: optional(2, list(string), "The searches."),
  options: optional(3, list(PodDNSConfigOption), "The options."),
});
export type PodDNSConfig = Out<typeof PodDNSConfig>;

export const HostAlias = message("HostAlias", "A host alias.", {
  ip: required(1, string, "The ip."),
  hostnames: optional(2, list(string), "The hostnames."),
});
export type HostAlias = Out<typeof HostAlias>;

export const PodReadinessGate = message("PodReadinessGate", "A pod readiness gate.", {
  conditionType: required(1, string, "The condition type."),
});
export type PodReadinessGate = Out<typeof PodReadinessGate>;

export const PodSchedulingGate = message("PodSchedulingGate", "A pod scheduling gate.", {
  name: required(1, string, "The name."),
});
export type PodSchedulingGate = Out<typeof PodSchedulingGate>;

export const PodOS = message("PodOS", "A pod os.", {
  name: required(1, string, "The name."),
});
export type PodOS = Out<typeof PodOS>;

export const PodResourceClaim = message("PodResourceClaim", "A pod resource claim.", {
  name: required(1, string, "The name."),
  resourceClaimName: pointer(3, string, "The resource claim name."),
  resourceClaimTemplateName: pointer(4, string, "The resource claim template name."),
});
export type PodResourceClaim = Out<typeof PodResourceClaim>;

export const PodSchedulingGroup = message("PodSchedulingGroup", "A pod scheduling group.", {
  podGroupName: pointer(1, string, "The pod group name."),
});
export type PodSchedulingGroup = Out<typeof PodSchedulingGroup>;

export const PodSpec = message("PodSpec", "A pod spec.", {
  volumes: optional(1, keyed(Volume, "name"), "The volumes.", { merge: "name", retainKeys: true }),
  initContainers: optional(20, keyed(Container, "name"), "The init containers.", { merge: "name" }),
  containers: required(2, keyed(Container, "name"), "The containers.", { merge: "name" }),
  ephemeralContainers: optional(34, keyed(EphemeralContainer, "name"), "The ephemeral containers.", {
    merge: "name",
  }),
  restartPolicy: optional(3, oneOf("Always", "Never", "OnFailure"), "The restart policy.", {
    default: "Always",
  }),
  terminationGracePeriodSeconds: pointer(4, int64, "The termination grace period seconds.", { default: 30 }),
  activeDeadlineSeconds: pointer(5, int64, "The active deadline seconds."),
  dnsPolicy: optional(
    6,
    oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "The dns policy.",
    { default: "ClusterFirst" },
  ),
  nodeSelector: optional(7, atomicMap(string), "The node selector."),
  serviceAccountName: optional(8, string, "The service account name."),
  serviceAccount: optional(9, string, "The service account."),
  automountServiceAccountToken: pointer(21, boolean, "The automount service account token."),
  nodeName: optional(10, string, "The node name."),
  hostNetwork: optional(11, boolean, "The host network."),
  hostPID: optional(12, boolean, "The host pid."),
  hostIPC: optional(13, boolean, "The host ipc."),
  shareProcessNamespace: pointer(27, boolean, "The share process namespace."),
  securityContext: pointer(14, PodSecurityContext, "The security context.", { default: () => ({}) }),
  imagePullSecrets: optional(15, keyed(LocalObjectReference, "name"), "The image pull secrets.", {
    merge: "name",
  }),
  hostname: optional(16, string, "The hostname."),
  subdomain: optional(17, string, "The subdomain."),
  affinity: pointer(18, Affinity, "The affinity."),
  schedulerName: optional(19, string, "The scheduler name.", { default: "default-scheduler" }),
  tolerations: optional(22, list(Toleration), "The tolerations."),
  hostAliases: optional(23, keyed(HostAlias, "ip"), "The host aliases.", { merge: "ip" }),
  priorityClassName: optional(24, string, "The priority class name."),
  priority: pointer(25, int32, "The priority."),
  dnsConfig: pointer(26, PodDNSConfig, "The dns config."),
  readinessGates: optional(28, list(PodReadinessGate), "The readiness gates."),
  runtimeClassName: pointer(29, string, "The runtime class name."),
  enableServiceLinks: pointer(30, boolean, "The enable service links."),
  preemptionPolicy: pointer(31, oneOf("Never", "PreemptLowerPriority"), "The preemption policy."),
  overhead: optional(32, map(quantity), "The overhead."),
  topologySpreadConstraints: optional(
    33,
    keyed(TopologySpreadConstraint, "topologyKey", "whenUnsatisfiable"),
    "The topology spread constraints.",
    { merge: "topologyKey" },
  ),
  setHostnameAsFQDN: pointer(35, boolean, "The set hostname as fqdn."),
  os: pointer(36, PodOS, "The os."),
  hostUsers: pointer(37, boolean, "The host users."),
  schedulingGates: optional(38, keyed(PodSchedulingGate, "name"), "The scheduling gates.", { merge: "name" }),
  resourceClaims: optional(39, keyed(PodResourceClaim, "name"), "The resource claims.", {
    merge: "name",
    retainKeys: true,
  }),
  resources: pointer(40, ResourceRequirements, "The resources."),
  hostnameOverride: pointer(41, string, "The hostname override."),
  schedulingGroup: pointer(43, PodSchedulingGroup, "The scheduling group."),
});
export type PodSpec = Out<typeof PodSpec>;

export const PodTemplateSpec = message("PodTemplateSpec", "A pod template spec.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, PodSpec, "The spec."),
});
export type PodTemplateSpec = Out<typeof PodTemplateSpec>;
