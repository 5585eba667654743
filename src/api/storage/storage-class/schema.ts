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

export const StorageClass = message("StorageClass", "A named class of storage that claims can request.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  provisioner: required(2, string, "The provisioner of the volumes; immutable."),
  parameters: optional(3, map(string), "Parameters for the provisioner; immutable."),
  reclaimPolicy: pointer(
    4,
    oneOf("Delete", "Recycle", "Retain"),
    "The reclaim policy of the volumes; immutable.",
    { default: "Delete" },
  ),
  mountOptions: optional(5, list(string), "Mount options; not validated."),
  allowVolumeExpansion: pointer(6, boolean, "Whether claims can be expanded."),
  volumeBindingMode: pointer(
    7,
    oneOf("Immediate", "WaitForFirstConsumer"),
    "Whether volumes are provisioned immediately or for the first Pod that uses them; immutable.",
    { default: "Immediate" },
  ),
  allowedTopologies: optional(8, list(TopologySelectorTerm), "The topologies of volumes; any when empty."),
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
