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

export const NamespaceSpec = message("NamespaceSpec", "The desired state of a namespace.", {
  finalizers: optional(1, list(string), "Finalizers that block the removal of the namespace."),
});
export type NamespaceSpec = Out<typeof NamespaceSpec>;

export const NamespaceCondition = message("NamespaceCondition", "A condition of a namespace.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(4, time, "The time when the condition's status last changed."),
  reason: optional(5, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(6, string, "A human-readable explanation."),
});
export type NamespaceCondition = Out<typeof NamespaceCondition>;

export const NamespaceStatus = message("NamespaceStatus", "The observed state of a namespace.", {
  phase: optional(1, oneOf("Active", "Terminating"), "The phase: Active or Terminating.", {
    default: "Active",
  }),
  conditions: optional(2, keyed(NamespaceCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
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
