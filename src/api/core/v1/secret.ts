import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { boolean, bytes, map, messages, optional, pointer, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const Secret = message("Secret", "A secret.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  immutable: pointer(5, boolean, "The immutable."),
  data: optional(2, map(bytes), "The data."),
  stringData: optional(4, map(string), "The string data."),
  type: optional(3, string, "The type.", { default: "Opaque" }),
});

export const secrets = defineKind(Secret, {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
});
export type Secret = ObjectOf<typeof secrets>;
