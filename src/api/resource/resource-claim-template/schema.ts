import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, required } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ResourceClaimSpec } from "../resource-claim/schema.ts";

const message = messages("io.k8s.api.resource.v1");

export const ResourceClaimTemplateSpec = message("ResourceClaimTemplateSpec", "What new claims look like.", {
  metadata: optional(1, ObjectMeta, "Labels and annotations of the claims; nothing else."),
  spec: required(2, ResourceClaimSpec, "What the claims ask for."),
});

const ResourceClaimTemplate = message("ResourceClaimTemplate", "What claims are made of, one for each Pod.", {
  metadata: optional(1, ObjectMeta, "Standard metadata."),
  spec: required(2, ResourceClaimTemplateSpec, "The claim; it never changes."),
});

export const resourceClaimTemplates = defineKind(ResourceClaimTemplate, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  namespaced: true,
});
export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplates>;
