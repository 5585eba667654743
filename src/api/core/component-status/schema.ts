import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, keyed, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ComponentCondition = message("ComponentCondition", "A condition of a component.", {
  type: required(1, string, "The condition's type: Healthy."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  message: optional(3, string, "A human-readable explanation."),
  error: optional(4, string, "An error code."),
});
export type ComponentCondition = Out<typeof ComponentCondition>;

export const ComponentStatus = message(
  "ComponentStatus",
  "The health of a control plane component; deprecated.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    conditions: optional(2, keyed(ComponentCondition, "type"), "The conditions, one for each type.", {
      merge: "type",
    }),
  },
);

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
