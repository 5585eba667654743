import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  boolean,
  int32,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.scheduling.v1");

export const PriorityClass = message("PriorityClass", "A named priority of Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  value: required(2, int32, "The priority that Pods get; immutable."),
  globalDefault: optional(3, boolean, "Whether Pods without a class get this one."),
  description: optional(4, string, "Guidance on when to use the class."),
  preemptionPolicy: pointer(
    5,
    oneOf("Never", "PreemptLowerPriority"),
    "Whether Pods of lower priority may be preempted; immutable.",
    { default: "PreemptLowerPriority" },
  ),
});

export const priorityClasses = defineKind(PriorityClass, {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  namespaced: false,
  shortNames: ["pc"],
});
export type PriorityClass = ObjectOf<typeof priorityClasses>;
