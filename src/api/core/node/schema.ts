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
  "Where a kubelet's configuration comes from; no longer used.",
  {
    configMap: pointer(2, ConfigMapNodeConfigSource, "A ConfigMap."),
  },
);
export type NodeConfigSource = Out<typeof NodeConfigSource>;

export const NodeSpec = message("NodeSpec", "What a node shall be.", {
  podCIDR: optional(1, string, "The first range of Pod addresses."),
  podCIDRs: optional(7, set(string), "All ranges of Pod addresses, at most one of each family.", {
    merge: true,
  }),
  providerID: optional(3, string, "The node's name at the cloud provider."),
  unschedulable: optional(4, boolean, "Whether new Pods stay away."),
  taints: optional(5, list(Taint), "What keeps Pods away."),
  configSource: pointer(6, NodeConfigSource, "No longer used."),
  externalID: optional(2, string, "No longer used."),
});
export type NodeSpec = Out<typeof NodeSpec>;

export const NodeCondition = message("NodeCondition", "One aspect of a node's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastHeartbeatTime: optional(3, time, "When it was last confirmed."),
  lastTransitionTime: optional(4, time, "When the status last changed."),
  reason: optional(5, string, "Why, as one CamelCase word for programs."),
  message: optional(6, string, "Why, for people."),
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
  capacity: pointer(1, int64, "Its size in bytes."),
});
export type NodeSwapStatus = Out<typeof NodeSwapStatus>;

export const NodeSystemInfo = message("NodeSystemInfo", "What a node is and runs.", {
  machineID: required(1, string, "The machine's ID, as in /etc/machine-id."),
  systemUUID: required(2, string, "The machine's UUID, as the firmware tells."),
  bootID: required(3, string, "Identifies this boot."),
  kernelVersion: required(4, string, "The kernel's version."),
  osImage: required(5, string, "The distribution, for people."),
  containerRuntimeVersion: required(6, string, "The container runtime, as `name://version`."),
  kubeletVersion: required(7, string, "The kubelet's version."),
  kubeProxyVersion: required(8, string, "No longer filled in."),
  operatingSystem: required(9, string, "linux or windows."),
  architecture: required(10, string, "The processor architecture, as Go names it."),
  swap: pointer(11, NodeSwapStatus, "Its swap."),
});
export type NodeSystemInfo = Out<typeof NodeSystemInfo>;

export const ContainerImage = message("ContainerImage", "An image on a node.", {
  names: required(1, list(string), "Its names."),
  sizeBytes: optional(2, int64, "Its size."),
});
export type ContainerImage = Out<typeof ContainerImage>;

export const AttachedVolume = message("AttachedVolume", "A volume that is attached to a node.", {
  name: required(1, string, "The volume."),
  devicePath: required(2, string, "The device's path on the node."),
});
export type AttachedVolume = Out<typeof AttachedVolume>;

export const NodeConfigStatus = message(
  "NodeConfigStatus",
  "Which configuration a kubelet uses; no longer used.",
  {
    assigned: pointer(1, NodeConfigSource, "The one that it tries."),
    active: pointer(2, NodeConfigSource, "The one in force."),
    lastKnownGood: pointer(3, NodeConfigSource, "The one that it falls back to."),
    error: optional(4, string, "Why the assigned one is not in force."),
  },
);
export type NodeConfigStatus = Out<typeof NodeConfigStatus>;

export const NodeRuntimeHandlerFeatures = message(
  "NodeRuntimeHandlerFeatures",
  "What a runtime handler can do.",
  {
    recursiveReadOnlyMounts: pointer(1, boolean, "Whether it can mount recursively read-only."),
    userNamespaces: pointer(2, boolean, "Whether it can use user namespaces."),
  },
);
export type NodeRuntimeHandlerFeatures = Out<typeof NodeRuntimeHandlerFeatures>;

export const NodeRuntimeHandler = message(
  "NodeRuntimeHandler",
  "One way in which the node runs containers.",
  {
    name: required(1, string, "The handler; empty for the default."),
    features: pointer(2, NodeRuntimeHandlerFeatures, "What it can do."),
  },
);
export type NodeRuntimeHandler = Out<typeof NodeRuntimeHandler>;

export const NodeFeatures = message("NodeFeatures", "What a node's container runtime can do.", {
  supplementalGroupsPolicy: pointer(1, boolean, "Whether it heeds supplementalGroupsPolicy."),
});
export type NodeFeatures = Out<typeof NodeFeatures>;

export const NodeStatus = message("NodeStatus", "What is known about a node.", {
  capacity: optional(1, map(amount), "All that the node has."),
  allocatable: optional(2, map(amount), "What of it Pods can use."),
  phase: optional(3, oneOf("Pending", "Running", "Terminated"), "No longer used."),
  conditions: optional(4, keyed(NodeCondition, "type"), "Aspects of the state, one entry for each type.", {
    merge: "type",
  }),
  addresses: optional(5, keyed(NodeAddress, "type"), "Its addresses.", { merge: "type" }),
  daemonEndpoints: optional(6, NodeDaemonEndpoints, "Its daemons."),
  nodeInfo: optional(7, NodeSystemInfo, "What it is and runs."),
  images: optional(8, list(ContainerImage), "Images on it."),
  volumesInUse: optional(9, list(string), "Volumes that are mounted on it."),
  volumesAttached: optional(10, list(AttachedVolume), "Volumes that are attached to it."),
  config: pointer(11, NodeConfigStatus, "No longer used."),
  runtimeHandlers: optional(12, list(NodeRuntimeHandler), "The ways in which it runs containers."),
  features: pointer(13, NodeFeatures, "What its runtime can do."),
  declaredFeatures: optional(14, list(string), "Features that it offers, for Pods that need them."),
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
