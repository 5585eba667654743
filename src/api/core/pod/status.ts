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

export const PodCondition = message("PodCondition", "One aspect of a Pod's state.", {
  type: required(1, string, "The aspect."),
  observedGeneration: optional(7, int64, "The generation that this status was made from."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastProbeTime: optional(3, time, "When it was last checked."),
  lastTransitionTime: optional(4, time, "When the status last changed."),
  reason: optional(5, string, "Why, as one CamelCase word for programs."),
  message: optional(6, string, "Why, for people."),
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
    resourceClaimName: pointer(2, string, "The claim; absent when none was needed."),
  },
);
export type PodResourceClaimStatus = Out<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = message(
  "ContainerExtendedResourceRequest",
  "Which request of a claim stands for a container's extended resource.",
  {
    containerName: required(1, string, "The container."),
    resourceName: required(2, string, "The extended resource."),
    requestName: required(3, string, "The request in the claim."),
  },
);
export type ContainerExtendedResourceRequest = Out<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = message(
  "PodExtendedResourceClaimStatus",
  "The claim that stands for the Pod's extended resources.",
  {
    requestMappings: required(1, list(ContainerExtendedResourceRequest), "Which request stands for what."),
    resourceClaimName: required(2, string, "The claim."),
  },
);
export type PodExtendedResourceClaimStatus = Out<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = message(
  "NodeAllocatableResourceClaimStatus",
  "What one claim takes of the node's own resources.",
  {
    resourceClaimName: required(1, string, "The claim."),
    containers: optional(2, set(string), "The containers that use the claim."),
    resources: required(3, map(quantity), "The amounts taken."),
  },
);
export type NodeAllocatableResourceClaimStatus = Out<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = message("PodStatus", "What is known about a Pod.", {
  observedGeneration: optional(17, int64, "The generation that this status was made from."),
  phase: optional(
    1,
    oneOf("Failed", "Pending", "Running", "Succeeded", "Unknown"),
    "Where the Pod is in its life.",
  ),
  conditions: optional(2, keyed(PodCondition, "type"), "Aspects of the state, one entry for each type.", {
    merge: "type",
  }),
  message: optional(3, string, "Why the Pod is in this state, for people."),
  reason: optional(4, string, "Why the Pod is in this state, as one CamelCase word."),
  nominatedNodeName: optional(11, string, "The node where Pods are being evicted for this one."),
  hostIP: optional(5, string, "The host's first address."),
  hostIPs: optional(16, list(HostIP), "All addresses of the host.", { merge: "ip" }),
  podIP: optional(6, string, "The Pod's first address."),
  podIPs: optional(12, keyed(PodIP, "ip"), "All addresses of the Pod, at most one of each family.", {
    merge: "ip",
  }),
  startTime: pointer(7, time, "When the kubelet took up the Pod."),
  initContainerStatuses: optional(10, list(ContainerStatus), "What is known about init containers."),
  containerStatuses: optional(8, list(ContainerStatus), "What is known about containers."),
  qosClass: optional(
    9,
    oneOf("BestEffort", "Burstable", "Guaranteed"),
    "How the Pod fares when the node runs short.",
  ),
  ephemeralContainerStatuses: optional(
    13,
    list(ContainerStatus),
    "What is known about ephemeral containers.",
  ),
  resize: optional(14, string, "No longer used; conditions tell about resizes."),
  resourceClaimStatuses: optional(15, keyed(PodResourceClaimStatus, "name"), "Claims made from templates.", {
    merge: "name",
    retainKeys: true,
  }),
  extendedResourceClaimStatus: pointer(
    18,
    PodExtendedResourceClaimStatus,
    "The claim for extended resources.",
  ),
  allocatedResources: optional(19, map(amount), "The requests that the node has set aside for the Pod."),
  resources: pointer(20, ResourceRequirements, "The Pod's requests and limits in force."),
  nodeAllocatableResourceClaimStatuses: optional(
    21,
    list(NodeAllocatableResourceClaimStatus),
    "What claims take of the node's own resources.",
  ),
});
export type PodStatus = Out<typeof PodStatus>;
