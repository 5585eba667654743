import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ScopedResourceSelectorRequirement = message(
  "ScopedResourceSelectorRequirement",
  "A scoped resource selector requirement.",
  {
    scopeName: required(
      1,
      oneOf(
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
      ),
      "The scope name.",
    ),
    operator: required(2, oneOf("DoesNotExist", "Exists", "In", "NotIn"), "The operator."),
    values: optional(3, list(string), "The values."),
  },
);
export type ScopedResourceSelectorRequirement = Out<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = message(
  "ScopeSelector",
  "A scope selector.",
  {
    matchExpressions: optional(1, list(ScopedResourceSelectorRequirement), "The match expressions."),
  },
  { atomic: true },
);
export type ScopeSelector = Out<typeof ScopeSelector>;

export const ResourceQuotaSpec = message("ResourceQuotaSpec", "A resource quota spec.", {
  hard: optional(1, map(quantity), "The hard."),
  scopes: optional(
    2,
    list(
      oneOf(
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
      ),
    ),
    "The scopes.",
  ),
  scopeSelector: pointer(3, ScopeSelector, "The scope selector."),
});
export type ResourceQuotaSpec = Out<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = message("ResourceQuotaStatus", "A resource quota status.", {
  hard: optional(1, map(quantity), "The hard."),
  used: optional(2, map(quantity), "The used."),
});
export type ResourceQuotaStatus = Out<typeof ResourceQuotaStatus>;

export const ResourceQuota = message("ResourceQuota", "A resource quota.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, ResourceQuotaSpec, "The spec."),
  status: optional(3, ResourceQuotaStatus, "The status."),
});

export const resourceQuotas = defineKind(ResourceQuota, {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
  shortNames: ["quota"],
  status: true,
});
export type ResourceQuota = ObjectOf<typeof resourceQuotas>;
