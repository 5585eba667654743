import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, pointer, quantity, required, string } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const CSIStorageCapacity = message(
  "CSIStorageCapacity",
  "The available storage of a StorageClass in one topology segment.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    nodeTopology: pointer(
      2,
      LabelSelector,
      "The label selector of nodes that can access the storage; immutable.",
    ),
    storageClassName: required(3, string, "The StorageClass; immutable."),
    capacity: pointer(4, quantity, "The available capacity; unknown when absent."),
    maximumVolumeSize: pointer(5, quantity, "The maximum size of one volume."),
  },
);

export const csiStorageCapacities = defineKind(CSIStorageCapacity, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  namespaced: true,
});
export type CSIStorageCapacity = ObjectOf<typeof csiStorageCapacities>;
