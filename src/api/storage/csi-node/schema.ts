import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  keyed,
  list,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const VolumeNodeResources = message("VolumeNodeResources", "The volume resources of a node.", {
  count: pointer(1, int32, "The maximum number of volumes of the driver; unlimited when absent."),
});
export type VolumeNodeResources = Out<typeof VolumeNodeResources>;

export const CSINodeDriver = message("CSINodeDriver", "A driver on a node.", {
  name: required(1, string, "The driver."),
  nodeID: required(2, string, "The driver's name for the node."),
  topologyKeys: required(3, list(string), "Node labels that describe the topology for the driver."),
  allocatable: pointer(4, VolumeNodeResources, "The volume resources of the node."),
});
export type CSINodeDriver = Out<typeof CSINodeDriver>;

export const CSINodeSpec = message("CSINodeSpec", "The CSI drivers of a node.", {
  drivers: required(1, keyed(CSINodeDriver, "name"), "The drivers; an entry is immutable.", {
    merge: "name",
  }),
});
export type CSINodeSpec = Out<typeof CSINodeSpec>;

export const CSINode = message(
  "CSINode",
  "The CSI drivers of a node; the object's name is the node's name.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, CSINodeSpec, "The drivers."),
  },
);

export const csiNodes = defineKind(CSINode, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  namespaced: false,
});
export type CSINode = ObjectOf<typeof csiNodes>;
