import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, bytes, map, messages, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ConfigMap = message("ConfigMap", "Configuration data as keys and values.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  immutable: pointer(4, boolean, "Whether the data is immutable."),
  data: optional(2, map(string), "Text values."),
  binaryData: optional(3, map(bytes), "Binary values."),
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
