import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, bytes, map, messages, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const Secret = message("Secret", "Confidential data as keys and values.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  immutable: pointer(5, boolean, "Whether the data is immutable."),
  data: optional(2, map(bytes), "The values."),
  stringData: optional(4, map(string), "Values as plain text; write-only, overrides `data`."),
  type: optional(3, string, "The type of the data.", { default: "Opaque" }),
});

export const secrets = defineKind(Secret, {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
});
export type Secret = ObjectOf<typeof secrets>;
