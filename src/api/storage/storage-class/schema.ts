import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  boolean,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { TopologySelectorTerm } from "../../core/v1/scheduling.ts";

const message = messages("io.k8s.api.storage.v1");

export const StorageClass = message("StorageClass", "A kind of storage that claims can ask for by a name.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  provisioner: required(2, string, "Who makes the volumes; it cannot be changed."),
  parameters: optional(3, map(string), "What the provisioner is told; it cannot be changed."),
  reclaimPolicy: pointer(
    4,
    oneOf("Delete", "Recycle", "Retain"),
    "What becomes of volumes when their claims are gone; it cannot be changed.",
    { default: "Delete" },
  ),
  mountOptions: optional(5, list(string), "Options for mounting; unchecked."),
  allowVolumeExpansion: pointer(6, boolean, "Whether claims may ask for more later."),
  volumeBindingMode: pointer(
    7,
    oneOf("Immediate", "WaitForFirstConsumer"),
    "Whether volumes are made at once, or when a Pod needs them; it cannot be changed.",
    { default: "Immediate" },
  ),
  allowedTopologies: optional(8, list(TopologySelectorTerm), "Where volumes may be; anywhere when empty."),
});

export const storageClasses = defineKind(StorageClass, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
  shortNames: ["sc"],
});
export type StorageClass = ObjectOf<typeof storageClasses>;
