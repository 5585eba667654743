import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, keyed, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ComponentCondition = message("ComponentCondition", "A component condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  message: optional(3, string, "The message."),
  error: optional(4, string, "The error."),
});
export type ComponentCondition = Out<typeof ComponentCondition>;

export const ComponentStatus = message("ComponentStatus", "A component status.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  conditions: optional(2, keyed(ComponentCondition, "type"), "The conditions.", { merge: "type" }),
});

export const componentStatuses = defineKind(ComponentStatus, {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  namespaced: false,
  shortNames: ["cs"],
  verbs: ["get", "list"],
});
export type ComponentStatus = ObjectOf<typeof componentStatuses>;
