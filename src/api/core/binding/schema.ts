import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, required } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const Binding = message("Binding", "Binds a Pod to a node.", {
  metadata: optional(1, ObjectMeta, "The Pod's name, and additions to its metadata."),
  target: required(2, ObjectReference, "The node."),
});

export const bindings = defineKind(Binding, {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  namespaced: true,
  verbs: ["create"],
});
export type Binding = ObjectOf<typeof bindings>;
