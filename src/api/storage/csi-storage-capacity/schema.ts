import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, pointer, quantity, required, string } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const CSIStorageCapacity = message(
  "CSIStorageCapacity",
  "How much storage of a class is left in one place.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    nodeTopology: pointer(2, LabelSelector, "Selects the nodes that can reach it; it cannot be changed."),
    storageClassName: required(3, string, "The StorageClass; it cannot be changed."),
    capacity: pointer(4, quantity, "How much is left; unknown when absent."),
    maximumVolumeSize: pointer(5, quantity, "How large one volume can be."),
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
