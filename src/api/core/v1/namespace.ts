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

export const NamespaceSpec = message("NamespaceSpec", "A namespace spec.", {
  finalizers: optional(1, list(string), "The finalizers."),
});
export type NamespaceSpec = Out<typeof NamespaceSpec>;

export const NamespaceCondition = message("NamespaceCondition", "A namespace condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastTransitionTime: optional(4, time, "The last transition time."),
  reason: optional(5, string, "The reason."),
  message: optional(6, string, "The message."),
});
export type NamespaceCondition = Out<typeof NamespaceCondition>;

export const NamespaceStatus = message("NamespaceStatus", "A namespace status.", {
  phase: optional(1, oneOf("Active", "Terminating"), "The phase.", { default: "Active" }),
  conditions: optional(2, keyed(NamespaceCondition, "type"), "The conditions.", { merge: "type" }),
});
export type NamespaceStatus = Out<typeof NamespaceStatus>;

export const Namespace = message("Namespace", "A namespace.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, NamespaceSpec, "The spec."),
  status: optional(3, NamespaceStatus, "The status."),
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
