import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { messages, optional, required } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ResourceClaimSpec } from "../resource-claim/schema.ts";

const message = messages("io.k8s.api.resource.v1");

export const ResourceClaimTemplateSpec = message("ResourceClaimTemplateSpec", "The template of a claim.", {
  metadata: optional(1, ObjectMeta, "Labels and annotations of the claims; nothing else."),
  spec: required(2, ResourceClaimSpec, "The specification of the claims."),
});

const ResourceClaimTemplate = message(
  "ResourceClaimTemplate",
  "A template of claims, one claim for each Pod.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, ResourceClaimTemplateSpec, "The claim; it never changes."),
  },
);

export const resourceClaimTemplates = defineKind(ResourceClaimTemplate, {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  namespaced: true,
});
export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplates>;
