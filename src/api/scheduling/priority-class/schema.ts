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

export const PriorityClass = message("PriorityClass", "How important Pods are, by a name.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  value: required(2, int32, "The priority that Pods get; it cannot be changed."),
  globalDefault: optional(3, boolean, "Whether Pods get it that ask for no class."),
  description: optional(4, string, "When to use the class, for people."),
  preemptionPolicy: pointer(
    5,
    oneOf("Never", "PreemptLowerPriority"),
    "Whether Pods of lower priority make room; it cannot be changed.",
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
