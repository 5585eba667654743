import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const NamespaceSpec = message("NamespaceSpec", "What a namespace shall be.", {
  finalizers: optional(1, list(string), "Who has work to do before the namespace may go."),
});
export type NamespaceSpec = Out<typeof NamespaceSpec>;

export const NamespaceCondition = message("NamespaceCondition", "One aspect of a namespace's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(4, time, "When the status last changed."),
  reason: optional(5, string, "Why, as one CamelCase word for programs."),
  message: optional(6, string, "Why, for people."),
});
export type NamespaceCondition = Out<typeof NamespaceCondition>;

export const NamespaceStatus = message("NamespaceStatus", "What is known about a namespace.", {
  phase: optional(1, oneOf("Active", "Terminating"), "Whether it is being deleted.", { default: "Active" }),
  conditions: optional(
    2,
    keyed(NamespaceCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
});
export type NamespaceStatus = Out<typeof NamespaceStatus>;

export const Namespace = message("Namespace", "A scope for names.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, NamespaceSpec, "The desired state."),
  status: optional(3, NamespaceStatus, "The observed state."),
});

export const namespaces = defineKind(Namespace, {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  shortNames: ["ns"],
  status: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: { finalize: { kind: { group: "", version: "v1", kind: "Namespace" }, verbs: ["update"] } },
});
export type Namespace = ObjectOf<typeof namespaces>;
