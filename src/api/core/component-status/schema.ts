import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, keyed, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ComponentCondition = message("ComponentCondition", "One aspect of a component's state.", {
  type: required(1, string, "The aspect: Healthy."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  message: optional(3, string, "More about it, for people."),
  error: optional(4, string, "The code of an error."),
});
export type ComponentCondition = Out<typeof ComponentCondition>;

export const ComponentStatus = message(
  "ComponentStatus",
  "The health of a part of the control plane; no longer maintained.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    conditions: optional(
      2,
      keyed(ComponentCondition, "type"),
      "Aspects of the state, one entry for each type.",
      { merge: "type" },
    ),
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
