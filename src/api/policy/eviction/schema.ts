import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, pointer } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { DeleteOptions } from "../../../meta/v1-options.ts";

const message = messages("io.k8s.api.policy.v1");

export const Eviction = message("Eviction", "Evicts a Pod if its PodDisruptionBudgets allow.", {
  metadata: optional(1, ObjectMeta, "The Pod's name."),
  deleteOptions: pointer(2, DeleteOptions, "The options of the deletion."),
});

/** The body of the `eviction` subresource of Pods. It has no resource of its own. */
export const evictions = defineKind(Eviction, {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  plural: "evictions",
  namespaced: true,
  verbs: [],
});
export type Eviction = ObjectOf<typeof evictions>;
