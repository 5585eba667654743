import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  amount,
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
  required,
  set,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { Taint } from "../v1/scheduling.ts";

const message = messages("io.k8s.api.core.v1");

export const ConfigMapNodeConfigSource = message(
  "ConfigMapNodeConfigSource",
  "A ConfigMap with a kubelet's configuration.",
  {
    namespace: required(1, string, "The ConfigMap's namespace."),
    name: required(2, string, "The ConfigMap's name."),
    uid: optional(3, string, "The ConfigMap's UID."),
    resourceVersion: optional(4, string, "The ConfigMap's resource version."),
    kubeletConfigKey: required(5, string, "The key that holds the configuration."),
  },
);
export type ConfigMapNodeConfigSource = Out<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = message(
  "NodeConfigSource",
  "The source of a kubelet's configuration; no longer used.",
  {
    configMap: pointer(2, ConfigMapNodeConfigSource, "A ConfigMap."),
  },
);
export type NodeConfigSource = Out<typeof NodeConfigSource>;

export const NodeSpec = message("NodeSpec", "The desired state of a node.", {
  podCIDR: optional(1, string, "The first range of Pod addresses."),
  podCIDRs: optional(7, set(string), "All ranges of Pod addresses, at most one of each family.", {
    merge: true,
  }),
  providerID: optional(3, string, "The node's name at the cloud provider."),
  unschedulable: optional(4, boolean, "Whether new Pods cannot be scheduled onto the node."),
  taints: optional(5, list(Taint), "The node's taints."),
  configSource: pointer(6, NodeConfigSource, "No longer used."),
  externalID: optional(2, string, "No longer used."),
});
export type NodeSpec = Out<typeof NodeSpec>;

export const NodeCondition = message("NodeCondition", "A condition of a node.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastHeartbeatTime: optional(3, time, "The time of the last update by the node."),
  lastTransitionTime: optional(4, time, "The time when the condition's status last changed."),
  reason: optional(5, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(6, string, "A human-readable explanation."),
});
export type NodeCondition = Out<typeof NodeCondition>;

export const NodeAddress = message("NodeAddress", "An address of a node.", {
  type: required(1, string, "Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS."),
  address: required(2, string, "The address."),
});
export type NodeAddress = Out<typeof NodeAddress>;

export const DaemonEndpoint = message("DaemonEndpoint", "A port that a daemon of the node listens on.", {
  Port: required(1, int32, "The port."),
});
export type DaemonEndpoint = Out<typeof DaemonEndpoint>;

export const NodeDaemonEndpoints = message("NodeDaemonEndpoints", "The node's daemons.", {
  kubeletEndpoint: optional(1, DaemonEndpoint, "The kubelet."),
});
export type NodeDaemonEndpoints = Out<typeof NodeDaemonEndpoints>;

export const NodeSwapStatus = message("NodeSwapStatus", "Swap of a node.", {
  capacity: pointer(1, int64, "The size in bytes."),
});
export type NodeSwapStatus = Out<typeof NodeSwapStatus>;

export const NodeSystemInfo = message("NodeSystemInfo", "General information about a node.", {
  machineID: required(1, string, "The machine's ID, as in /etc/machine-id."),
  systemUUID: required(2, string, "The machine's UUID, as reported by the firmware."),
  bootID: required(3, string, "Identifies this boot."),
  kernelVersion: required(4, string, "The kernel's version."),
  osImage: required(5, string, "The name of the operating system's distribution."),
  containerRuntimeVersion: required(6, string, "The container runtime, as `name://version`."),
  kubeletVersion: required(7, string, "The kubelet's version."),
  kubeProxyVersion: required(8, string, "Deprecated; no longer set."),
  operatingSystem: required(9, string, "`linux` or `windows`."),
  architecture: required(10, string, "The processor architecture, as Go names it."),
  swap: pointer(11, NodeSwapStatus, "The node's swap."),
});
export type NodeSystemInfo = Out<typeof NodeSystemInfo>;

export const ContainerImage = message("ContainerImage", "An image on a node.", {
  names: required(1, list(string), "The image's names."),
  sizeBytes: optional(2, int64, "The image's size in bytes."),
});
export type ContainerImage = Out<typeof ContainerImage>;

export const AttachedVolume = message("AttachedVolume", "A volume that is attached to a node.", {
  name: required(1, string, "The volume."),
  devicePath: required(2, string, "The device's path on the node."),
});
export type AttachedVolume = Out<typeof AttachedVolume>;

export const NodeConfigStatus = message(
  "NodeConfigStatus",
  "The status of a kubelet's configuration; no longer used.",
  {
    assigned: pointer(1, NodeConfigSource, "The assigned configuration."),
    active: pointer(2, NodeConfigSource, "The active configuration."),
    lastKnownGood: pointer(3, NodeConfigSource, "The configuration to fall back to."),
    error: optional(4, string, "The reason why the assigned configuration is not active."),
  },
);
export type NodeConfigStatus = Out<typeof NodeConfigStatus>;

export const NodeRuntimeHandlerFeatures = message(
  "NodeRuntimeHandlerFeatures",
  "The features of a runtime handler.",
  {
    recursiveReadOnlyMounts: pointer(1, boolean, "Whether recursive read-only mounts are supported."),
    userNamespaces: pointer(2, boolean, "Whether user namespaces are supported."),
  },
);
export type NodeRuntimeHandlerFeatures = Out<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = message(
  "NodeRuntimeHandler",
  "A handler of the node's container runtime.",
  {
    name: required(1, string, "The handler; empty for the default."),
    features: pointer(2, NodeRuntimeHandlerFeatures, "The handler's features."),
  },
);
export type NodeRuntimeHandler = Out<typeof NodeRuntimeHandler>;

export const NodeFeatures = message("NodeFeatures", "The features of a node's container runtime.", {
  supplementalGroupsPolicy: pointer(1, boolean, "Whether `supplementalGroupsPolicy` is supported."),
});
export type NodeFeatures = Out<typeof NodeFeatures>;

export const NodeStatus = message("NodeStatus", "The observed state of a node.", {
  capacity: optional(1, map(amount), "The node's resources."),
  allocatable: optional(2, map(amount), "The resources that are available to Pods."),
  phase: optional(3, oneOf("Pending", "Running", "Terminated"), "No longer used."),
  conditions: optional(4, keyed(NodeCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
  addresses: optional(5, keyed(NodeAddress, "type"), "The node's addresses.", { merge: "type" }),
  daemonEndpoints: optional(6, NodeDaemonEndpoints, "The node's daemons."),
  nodeInfo: optional(7, NodeSystemInfo, "General information about the node."),
  images: optional(8, list(ContainerImage), "The images on the node."),
  volumesInUse: optional(9, list(string), "Volumes that are mounted on the node."),
  volumesAttached: optional(10, list(AttachedVolume), "Volumes that are attached to the node."),
  config: pointer(11, NodeConfigStatus, "No longer used."),
  runtimeHandlers: optional(12, list(NodeRuntimeHandler), "The runtime handlers."),
  features: pointer(13, NodeFeatures, "The features of the container runtime."),
  declaredFeatures: optional(14, list(string), "Features that the node declares."),
});
export type NodeStatus = Out<typeof NodeStatus>;

export const Node = message("Node", "A machine that runs Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, NodeSpec, "The desired state."),
  status: optional(3, NodeStatus, "The observed state."),
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
