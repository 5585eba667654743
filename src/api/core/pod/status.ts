import {
  type Out,
  amount,
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
  set,
  string,
  time,
} from "../../../meta/schema.ts";
import { ContainerStatus } from "./container-status.ts";
import { ResourceRequirements } from "../v1/resources.ts";

const message = messages("io.k8s.api.core.v1");

export const PodCondition = message("PodCondition", "A condition of a Pod.", {
  type: required(1, string, "The condition's type."),
  observedGeneration: optional(7, int64, "The generation that this status reflects."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastProbeTime: optional(3, time, "The time of the last check."),
  lastTransitionTime: optional(4, time, "The time when the condition's status last changed."),
  reason: optional(5, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(6, string, "A human-readable explanation."),
});
export type PodCondition = Out<typeof PodCondition>;

export const HostIP = message("HostIP", "An address of the Pod's host.", {
  ip: required(1, string, "The address."),
});
export type HostIP = Out<typeof HostIP>;

export const PodIP = message("PodIP", "An address of the Pod.", {
  ip: required(1, string, "The address."),
});
export type PodIP = Out<typeof PodIP>;

export const PodResourceClaimStatus = message(
  "PodResourceClaimStatus",
  "The claim made for an entry of `spec.resourceClaims`.",
  {
    name: required(1, string, "The entry."),
    resourceClaimName: pointer(2, string, "The claim; absent when none was required."),
  },
);
export type PodResourceClaimStatus = Out<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = message(
  "ContainerExtendedResourceRequest",
  "The request of a claim that represents a container's extended resource.",
  {
    containerName: required(1, string, "The container."),
    resourceName: required(2, string, "The extended resource."),
    requestName: required(3, string, "The request in the claim."),
  },
);
export type ContainerExtendedResourceRequest = Out<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = message(
  "PodExtendedResourceClaimStatus",
  "The claim that represents the Pod's extended resources.",
  {
    requestMappings: required(
      1,
      list(ContainerExtendedResourceRequest),
      "The requests that represent extended resources.",
    ),
    resourceClaimName: required(2, string, "The lock."),
  },
);
export type PodExtendedResourceClaimStatus = Out<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = message(
  "NodeAllocatableResourceClaimStatus",
  "The node resources that a claim consumes.",
  {
    resourceClaimName: required(1, string, "The lock."),
    containers: optional(2, set(string), "The containers that use the claim."),
    resources: required(3, map(quantity), "The consumed amounts."),
  },
);
export type NodeAllocatableResourceClaimStatus = Out<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = message("PodStatus", "The observed state of a Pod.", {
  observedGeneration: optional(17, int64, "The generation that this status reflects."),
  phase: optional(1, oneOf("Failed", "Pending", "Running", "Succeeded", "Unknown"), "The Pod's phase."),
  conditions: optional(2, keyed(PodCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
  message: optional(3, string, "A human-readable explanation of the state."),
  reason: optional(4, string, "The reason of the state, as one CamelCase word."),
  nominatedNodeName: optional(11, string, "The node where Pods are preempted for this Pod."),
  hostIP: optional(5, string, "The host's first address."),
  hostIPs: optional(16, list(HostIP), "All addresses of the host.", { merge: "ip" }),
  podIP: optional(6, string, "The Pod's first address."),
  podIPs: optional(12, keyed(PodIP, "ip"), "All addresses of the Pod, at most one of each family.", {
    merge: "ip",
  }),
  startTime: pointer(7, time, "The time when the kubelet accepted the Pod."),
  initContainerStatuses: optional(10, list(ContainerStatus), "The observed state of init containers."),
  containerStatuses: optional(8, list(ContainerStatus), "The observed state of containers."),
  qosClass: optional(
    9,
    oneOf("BestEffort", "Burstable", "Guaranteed"),
    "The Pod's quality of service class.",
  ),
  ephemeralContainerStatuses: optional(
    13,
    list(ContainerStatus),
    "The observed state of ephemeral containers.",
  ),
  resize: optional(14, string, "Deprecated; replaced by conditions."),
  resourceClaimStatuses: optional(15, keyed(PodResourceClaimStatus, "name"), "Claims made from templates.", {
    merge: "name",
    retainKeys: true,
  }),
  extendedResourceClaimStatus: pointer(
    18,
    PodExtendedResourceClaimStatus,
    "The claim for extended resources.",
  ),
  allocatedResources: optional(19, map(amount), "The requests that the node has allocated to the Pod."),
  resources: pointer(20, ResourceRequirements, "The Pod's current requests and limits."),
  nodeAllocatableResourceClaimStatuses: optional(
    21,
    list(NodeAllocatableResourceClaimStatus),
    "The node resources that claims consume.",
  ),
});
export type PodStatus = Out<typeof PodStatus>;
