import {
  amount,
  atomicMap,
  boolean,
  type In,
  int32,
  int64,
  keyed,
  list,
  map,
  messages,
  type MessageType,
  oneOf,
  optional,
  type Out,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { LocalObjectReference } from "../v1/reference.ts";
import { ResourceRequirements } from "../v1/resources.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "../v1/scheduling.ts";
import { PodSecurityContext } from "./security.ts";
import { Volume } from "../volume/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const PodDNSConfigOption = message("PodDNSConfigOption", "An option of the resolver.", {
  name: optional(1, string, "The option."),
  value: pointer(2, string, "The option's value."),
});
export type PodDNSConfigOption = Out<typeof PodDNSConfigOption>;

export const PodDNSConfig = message("PodDNSConfig", "DNS settings in addition to those of the DNS policy.", {
  nameservers: optional(1, list(string), "Name servers."),
  searches: optional(2, list(string), "Search domains."),
  options: optional(3, list(PodDNSConfigOption), "Options; these override the options of the policy."),
});
export type PodDNSConfig = Out<typeof PodDNSConfig>;

export const HostAlias = message("HostAlias", "An entry in the Pod's hosts file.", {
  ip: required(1, string, "The address."),
  hostnames: optional(2, list(string), "The host names of the address."),
});
export type HostAlias = Out<typeof HostAlias>;

export const PodReadinessGate = message(
  "PodReadinessGate",
  "A condition that must be true before the Pod is ready.",
  {
    conditionType: required(1, string, "The condition's type."),
  },
);
export type PodReadinessGate = Out<typeof PodReadinessGate>;

export const PodSchedulingGate = message("PodSchedulingGate", "A gate that blocks the scheduling of a Pod.", {
  name: required(1, string, "The gate's name."),
});
export type PodSchedulingGate = Out<typeof PodSchedulingGate>;

export const PodOS = message("PodOS", "The operating system that a Pod is for.", {
  name: required(1, string, "`linux` or `windows`."),
});
export type PodOS = Out<typeof PodOS>;

export const PodResourceClaim = message(
  "PodResourceClaim",
  "A resource claim of a Pod; one of the two sources is set.",
  {
    name: required(1, string, "The name within the Pod."),
    resourceClaimName: pointer(3, string, "The ResourceClaim in the Pod's namespace."),
    resourceClaimTemplateName: pointer(4, string, "The template from which a claim is made for this Pod."),
  },
);
export type PodResourceClaim = Out<typeof PodResourceClaim>;

export const PodSchedulingGroup = message("PodSchedulingGroup", "The group that a Pod is scheduled with.", {
  podGroupName: pointer(1, string, "The PodGroup in the Pod's namespace."),
});
export type PodSchedulingGroup = Out<typeof PodSchedulingGroup>;

const podSpec = message("PodSpec", "The desired state of a Pod.", {
  volumes: optional(1, keyed(Volume, "name"), "Volumes that containers can mount.", {
    merge: "name",
    retainKeys: true,
  }),
  initContainers: optional(
    20,
    keyed(Container, "name"),
    "Containers that run to completion in order before the others start.",
    { merge: "name" },
  ),
  containers: required(2, keyed(Container, "name"), "The main containers.", { merge: "name" }),
  ephemeralContainers: optional(
    34,
    keyed(EphemeralContainer, "name"),
    "Containers added to the running Pod for debugging.",
    { merge: "name" },
  ),
  restartPolicy: optional(3, oneOf("Always", "Never", "OnFailure"), "The restart policy of the containers.", {
    default: "Always",
  }),
  terminationGracePeriodSeconds: pointer(
    4,
    int64,
    "The number of seconds between the stop signal and the kill signal.",
    { default: 30 },
  ),
  activeDeadlineSeconds: pointer(
    5,
    int64,
    "The number of seconds for which the Pod may be active before it fails.",
  ),
  dnsPolicy: optional(
    6,
    oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "The DNS policy.",
    { default: "ClusterFirst" },
  ),
  nodeSelector: optional(7, atomicMap(string), "Labels that the node must have."),
  serviceAccountName: optional(8, string, "The ServiceAccount that the Pod acts as."),
  serviceAccount: optional(9, string, "Deprecated; use `serviceAccountName`."),
  automountServiceAccountToken: pointer(21, boolean, "Whether the ServiceAccount's token is mounted."),
  nodeName: optional(10, string, "The node; set by the scheduler."),
  hostNetwork: optional(11, boolean, "Whether the host's network namespace is used."),
  hostPID: optional(12, boolean, "Whether the host's process namespace is used."),
  hostIPC: optional(13, boolean, "Whether the host's IPC namespace is used."),
  shareProcessNamespace: pointer(27, boolean, "Whether all containers share one process namespace."),
  securityContext: pointer(14, PodSecurityContext, "Security settings of the Pod.", { default: () => ({}) }),
  imagePullSecrets: optional(15, keyed(LocalObjectReference, "name"), "Secrets for pulling images.", {
    merge: "name",
  }),
  hostname: optional(16, string, "The host name; the Pod's name when empty."),
  subdomain: optional(17, string, "The domain `<hostname>.<subdomain>.<namespace>.svc.<cluster domain>`."),
  affinity: pointer(18, Affinity, "Rules for the placement."),
  schedulerName: optional(19, string, "The scheduler of the Pod.", { default: "default-scheduler" }),
  tolerations: optional(22, list(Toleration), "The taints that the Pod tolerates."),
  hostAliases: optional(23, keyed(HostAlias, "ip"), "Additional entries in the hosts file.", { merge: "ip" }),
  priorityClassName: optional(24, string, "The PriorityClass."),
  priority: pointer(25, int32, "The priority; set from the class."),
  dnsConfig: pointer(26, PodDNSConfig, "DNS settings."),
  readinessGates: optional(
    28,
    list(PodReadinessGate),
    "Conditions that must be true before the Pod is ready.",
  ),
  runtimeClassName: pointer(29, string, "The RuntimeClass that runs the Pod."),
  enableServiceLinks: pointer(30, boolean, "Whether environment variables for Services are set."),
  preemptionPolicy: pointer(
    31,
    oneOf("Never", "PreemptLowerPriority"),
    "Whether Pods of lower priority may be preempted by the Pod.",
  ),
  overhead: optional(32, map(amount), "The overhead of the Pod's sandbox; set from the RuntimeClass."),
  topologySpreadConstraints: optional(
    33,
    keyed(TopologySpreadConstraint, "topologyKey", "whenUnsatisfiable"),
    "Constraints on the distribution of matching Pods.",
    { merge: "topologyKey" },
  ),
  setHostnameAsFQDN: pointer(35, boolean, "Whether the host name is the fully qualified domain name."),
  os: pointer(36, PodOS, "The operating system."),
  hostUsers: pointer(37, boolean, "Whether the host's user namespace is used; true when absent."),
  schedulingGates: optional(
    38,
    keyed(PodSchedulingGate, "name"),
    "Gates that must be removed before the Pod is scheduled.",
    { merge: "name" },
  ),
  resourceClaims: optional(39, keyed(PodResourceClaim, "name"), "Resource claims that containers may use.", {
    merge: "name",
    retainKeys: true,
  }),
  resources: pointer(40, ResourceRequirements, "The resource requirements of the whole Pod."),
  hostnameOverride: pointer(41, string, "The exact host name; overrides other settings."),
  schedulingGroup: pointer(43, PodSchedulingGroup, "The group that the Pod is scheduled with."),
});
export interface PodSpec extends Out<typeof podSpec> {}
export interface PodSpecInput extends In<typeof podSpec> {}
export const PodSpec: MessageType<PodSpec, PodSpecInput> = podSpec;

const podTemplateSpec = message("PodTemplateSpec", "The template of the Pods.", {
  metadata: optional(1, ObjectMeta, "Labels and annotations of the Pods."),
  spec: optional(2, PodSpec, "The specification of the Pods."),
});
export interface PodTemplateSpec extends Out<typeof podTemplateSpec> {}
export interface PodTemplateSpecInput extends In<typeof podTemplateSpec> {}
export const PodTemplateSpec: MessageType<PodTemplateSpec, PodTemplateSpecInput> = podTemplateSpec;
