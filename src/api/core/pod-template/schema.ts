import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { PodTemplateSpec } from "../pod/spec.ts";

const message = messages("io.k8s.api.core.v1");

export const PodTemplate = message("PodTemplate", "A stored template of Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  template: optional(2, PodTemplateSpec, "The template of the Pods."),
});

export const podTemplates = defineKind(PodTemplate, {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  namespaced: true,
});
export type PodTemplate = ObjectOf<typeof podTemplates>;
