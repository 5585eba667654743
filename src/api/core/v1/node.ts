import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
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
  set,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { Taint } from "./scheduling.ts";

const message = messages("io.k8s.api.core.v1");

export const ConfigMapNodeConfigSource = message(
  "ConfigMapNodeConfigSource",
  "A config map node config source.",
  {
    namespace: required(1, string, "The namespace."),
    name: required(2, string, "The name."),
    uid: optional(3, string, "The uid."),
    resourceVersion: optional(4, string, "The resource version."),
    kubeletConfigKey: required(5, string, "The kubelet config key."),
  },
);
export type ConfigMapNodeConfigSource = Out<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = message("NodeConfigSource", "A node config source.", {
  configMap: pointer(2, ConfigMapNodeConfigSource, "The config map."),
});
export type NodeConfigSource = Out<typeof NodeConfigSource>;

export const NodeSpec = message("NodeSpec", "A node spec.", {
  podCIDR: optional(1, string, "The pod cidr."),
  podCIDRs: optional(7, set(string), "The pod cid rs.", { merge: true }),
  providerID: optional(3, string, "The provider id."),
  unschedulable: optional(4, boolean, "The unschedulable."),
  taints: optional(5, list(Taint), "The taints."),
  configSource: pointer(6, NodeConfigSource, "The config source."),
  externalID: optional(2, string, "The external id."),
});
export type NodeSpec = Out<typeof NodeSpec>;

export const NodeCondition = message("NodeCondition", "A node condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastHeartbeatTime: optional(3, time, "The last heartbeat time."),
  lastTransitionTime: optional(4, time, "The last transition time."),
  reason: optional(5, string, "The reason."),
  message: optional(6, string, "The message."),
});
export type NodeCondition = Out<typeof NodeCondition>;

export const NodeAddress = message("NodeAddress", "A node address.", {
  type: required(1, string, "The type."),
  address: required(2, string, "The address."),
});
export type NodeAddress = Out<typeof NodeAddress>;

export const DaemonEndpoint = message("DaemonEndpoint", "A daemon endpoint.", {
  Port: required(1, int32, "The port."),
});
export type DaemonEndpoint = Out<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = message("NodeDaemonEndpoints", "A node daemon endpoints.", {
  kubeletEndpoint: optional(1, DaemonEndpoint, "The kubelet endpoint."),
});
export type NodeDaemonEndpoints = Out<typeof NodeDaemonEndpoints>;

export const NodeSwapStatus = message("NodeSwapStatus", "A node swap status.", {
  capacity: pointer(1, int64, "The capacity."),
});
export type NodeSwapStatus = Out<typeof NodeSwapStatus>;

export const NodeSystemInfo = message("NodeSystemInfo", "A node system info.", {
  machineID: required(1, string, "The machine id."),
  systemUUID: required(2, string, "The system uuid."),
  bootID: required(3, string, "The boot id."),
  kernelVersion: required(4, string, "The kernel version."),
  osImage: required(5, string, "The os image."),
  containerRuntimeVersion: required(6, string, "The container runtime version."),
  kubeletVersion: required(7, string, "The kubelet version."),
  kubeProxyVersion: required(8, string, "The kube proxy version."),
  operatingSystem: required(9, string, "The operating system."),
  architecture: required(10, string, "The architecture."),
  swap: pointer(11, NodeSwapStatus, "The swap."),
});
export type NodeSystemInfo = Out<typeof NodeSystemInfo>;

export const ContainerImage = message("ContainerImage", "A container image.", {
  names: required(1, list(string), "The names."),
  sizeBytes: optional(2, int64, "The size bytes."),
});
export type ContainerImage = Out<typeof ContainerImage>;

export const AttachedVolume = message("AttachedVolume", "A attached volume.", {
  name: required(1, string, "The name."),
  devicePath: required(2, string, "The device path."),
});
export type AttachedVolume = Out<typeof AttachedVolume>;

export const NodeConfigStatus = message("NodeConfigStatus", "A node config status.", {
  assigned: pointer(1, NodeConfigSource, "The assigned."),
  active: pointer(2, NodeConfigSource, "The active."),
  lastKnownGood: pointer(3, NodeConfigSource, "The last known good."),
  error: optional(4, string, "The error."),
});
export type NodeConfigStatus = Out<typeof NodeConfigStatus>;

export const NodeRuntimeHandlerFeatures = message(
  "NodeRuntimeHandlerFeatures",
  "A node runtime handler features.",
  {
    recursiveReadOnlyMounts: pointer(1, boolean, "The recursive read only mounts."),
    userNamespaces: pointer(2, boolean, "The user namespaces."),
  },
);
export type NodeRuntimeHandlerFeatures = Out<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = message("NodeRuntimeHandler", "A node runtime handler.", {
  name: required(1, string, "The name."),
  features: pointer(2, NodeRuntimeHandlerFeatures, "The features."),
});
export type NodeRuntimeHandler = Out<typeof NodeRuntimeHandler>;

export const NodeFeatures = message("NodeFeatures", "A node features.", {
  supplementalGroupsPolicy: pointer(1, boolean, "The supplemental groups policy."),
});
export type NodeFeatures = Out<typeof NodeFeatures>;

export const NodeStatus = message("NodeStatus", "A node status.", {
  capacity: optional(1, map(quantity), "The capacity."),
  allocatable: optional(2, map(quantity), "The allocatable."),
  phase: optional(3, oneOf("Pending", "Running", "Terminated"), "The phase."),
  conditions: optional(4, keyed(NodeCondition, "type"), "The conditions.", { merge: "type" }),
  addresses: optional(5, keyed(NodeAddress, "type"), "The addresses.", { merge: "type" }),
  daemonEndpoints: optional(6, NodeDaemonEndpoints, "The daemon endpoints."),
  nodeInfo: optional(7, NodeSystemInfo, "The node info."),
  images: optional(8, list(ContainerImage), "The images."),
  volumesInUse: optional(9, list(string), "The volumes in use."),
  volumesAttached: optional(10, list(AttachedVolume), "The volumes attached."),
  config: pointer(11, NodeConfigStatus, "The config."),
  runtimeHandlers: optional(12, list(NodeRuntimeHandler), "The runtime handlers."),
  features: pointer(13, NodeFeatures, "The features."),
  declaredFeatures: optional(14, list(string), "The declared features."),
});
export type NodeStatus = Out<typeof NodeStatus>;

export const Node = message("Node", "A node.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, NodeSpec, "The spec."),
  status: optional(3, NodeStatus, "The status."),
});

export const nodes = defineKind(Node, {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
  shortNames: ["no"],
  status: true,
  subresources: {
    proxy: {
      kind: { group: "", version: "v1", kind: "NodeProxyOptions" },
      verbs: ["create", "delete", "get", "patch", "update"],
    },
  },
});
export type Node = ObjectOf<typeof nodes>;
