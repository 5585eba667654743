import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, bytes, map, messages, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ConfigMap = message("ConfigMap", "A config map.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  immutable: pointer(4, boolean, "The immutable."),
  data: optional(2, map(string), "The data."),
  binaryData: optional(3, map(bytes), "The binary data."),
});

export const configMaps = defineKind(ConfigMap, {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
  shortNames: ["cm"],
});
export type ConfigMap = ObjectOf<typeof configMaps>;
