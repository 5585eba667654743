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

export const VolumeNodeResources = message("VolumeNodeResources", "What a node has for volumes.", {
  count: pointer(1, int32, "How many volumes of the driver it can have; any number when absent."),
});
export type VolumeNodeResources = Out<typeof VolumeNodeResources>;

export const CSINodeDriver = message("CSINodeDriver", "A driver on a node.", {
  name: required(1, string, "The driver."),
  nodeID: required(2, string, "What the driver calls the node."),
  topologyKeys: required(3, list(string), "Labels of the node that tell the driver where it is."),
  allocatable: pointer(4, VolumeNodeResources, "What the node has for its volumes."),
});
export type CSINodeDriver = Out<typeof CSINodeDriver>;

export const CSINodeSpec = message("CSINodeSpec", "What drivers a node has.", {
  drivers: required(1, keyed(CSINodeDriver, "name"), "The drivers; an entry stays as it is.", {
    merge: "name",
  }),
});
export type CSINodeSpec = Out<typeof CSINodeSpec>;

export const CSINode = message("CSINode", "The CSI drivers of a node; its name is the node's.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, CSINodeSpec, "The drivers."),
});

export const csiNodes = defineKind(CSINode, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  namespaced: false,
});
export type CSINode = ObjectOf<typeof csiNodes>;
