import {
  type Out,
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
import { ResourceRequirements } from "./resources.ts";

const message = messages("io.k8s.api.core.v1");

export const PodCondition = message("PodCondition", "A pod condition.", {
  type: required(1, string, "The type."),
  observedGeneration: optional(7, int64, "The observed generation."),
  status: required(2, string, "The status."),
  lastProbeTime: optional(3, time, "The last probe time."),
  lastTransitionTime: optional(4, time, "The last transition time."),
  reason: optional(5, string, "The reason."),
  message: optional(6, string, "The message."),
});
export type PodCondition = Out<typeof PodCondition>;

export const HostIP = message("HostIP", "A host ip.", {
  ip: required(1, string, "The ip."),
});
export type HostIP = Out<typeof HostIP>;

export const PodIP = message("PodIP", "A pod ip.", {
  ip: required(1, string, "The ip."),
});
export type PodIP = Out<typeof PodIP>;

export const PodResourceClaimStatus = message("PodResourceClaimStatus", "A pod resource claim status.", {
  name: required(1, string, "The name."),
  resourceClaimName: pointer(2, string, "The resource claim name."),
});
export type PodResourceClaimStatus = Out<typeof PodResourceClaimStatus>;

export const ContainerExtendedResourceRequest = message(
  "ContainerExtendedResourceRequest",
  "A container extended resource request.",
  {
    containerName: required(1, string, "The container name."),
    resourceName: required(2, string, "The resource name."),
    requestName: required(3, string, "The request name."),
  },
);
export type ContainerExtendedResourceRequest = Out<typeof ContainerExtendedResourceRequest>;

export const PodExtendedResourceClaimStatus = message(
  "PodExtendedResourceClaimStatus",
  "A pod extended resource claim status.",
  {
    requestMappings: required(1, list(ContainerExtendedResourceRequest), "The request mappings."),
    resourceClaimName: required(2, string, "The resource claim name."),
  },
);
export type PodExtendedResourceClaimStatus = Out<typeof PodExtendedResourceClaimStatus>;

export const NodeAllocatableResourceClaimStatus = message(
  "NodeAllocatableResourceClaimStatus",
  "A node allocatable resource claim status.",
  {
    resourceClaimName: required(1, string, "The resource claim name."),
    containers: optional(2, set(string), "The containers."),
    resources: required(3, map(quantity), "The resources."),
  },
);
export type NodeAllocatableResourceClaimStatus = Out<typeof NodeAllocatableResourceClaimStatus>;

export const PodStatus = message("PodStatus", "A pod status.", {
  observedGeneration: optional(17, int64, "The observed generation."),
  phase: optional(1, oneOf("Failed", "Pending", "Running", "Succeeded", "Unknown"), "The phase."),
  conditions: optional(2, keyed(PodCondition, "type"), "The conditions.", { merge: "type" }),
  message: optional(3, string, "The message."),
  reason: optional(4, string, "The reason."),
  nominatedNodeName: optional(11, string, "The nominated node name."),
  hostIP: optional(5, string, "The host ip."),
  hostIPs: optional(16, list(HostIP), "The host i ps.", { merge: "ip" }),
  podIP: optional(6, string, "The pod ip."),
  podIPs: optional(12, keyed(PodIP, "ip"), "The pod i ps.", { merge: "ip" }),
  startTime: pointer(7, time, "The start time."),
  initContainerStatuses: optional(10, list(ContainerStatus), "The init container statuses."),
  containerStatuses: optional(8, list(ContainerStatus), "The container statuses."),
  qosClass: optional(9, oneOf("BestEffort", "Burstable", "Guaranteed"), "The qos class."),
  ephemeralContainerStatuses: optional(13, list(ContainerStatus), "The ephemeral container statuses."),
  resize: optional(14, string, "The resize."),
  resourceClaimStatuses: optional(15, keyed(PodResourceClaimStatus, "name"), "The resource claim statuses.", {
    merge: "name",
    retainKeys: true,
  }),
  extendedResourceClaimStatus: pointer(
    18,
    PodExtendedResourceClaimStatus,
    "The extended resource claim status.",
  ),
  allocatedResources: optional(19, map(quantity), "The allocated resources."),
  resources: pointer(20, ResourceRequirements, "The resources."),
  nodeAllocatableResourceClaimStatuses: optional(
    21,
    list(NodeAllocatableResourceClaimStatus),
    "The node allocatable resource claim statuses.",
  ),
});
export type PodStatus = Out<typeof PodStatus>;
