import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  amount,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ScopedResourceSelectorRequirement = message(
  "ScopedResourceSelectorRequirement",
  "A condition for objects to be counted by a quota.",
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
      "The scope.",
    ),
    operator: required(
      2,
      oneOf("DoesNotExist", "Exists", "In", "NotIn"),
      "The relation between the scope and the values.",
    ),
    values: optional(3, list(string), "The values; none for Exists and DoesNotExist."),
  },
);
export type ScopedResourceSelectorRequirement = Out<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = message(
  "ScopeSelector",
  "Conditions for objects to be counted by a quota; all must hold.",
  {
    matchExpressions: optional(1, list(ScopedResourceSelectorRequirement), "The conditions."),
  },
  { atomic: true },
);
export type ScopeSelector = Out<typeof ScopeSelector>;

export const ResourceQuotaSpec = message("ResourceQuotaSpec", "The limits of a quota.", {
  hard: optional(1, map(amount), "The limits, by resource."),
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
    "The scopes that an object must match to be counted.",
  ),
  scopeSelector: pointer(3, ScopeSelector, "Further conditions for objects to be counted."),
});
export type ResourceQuotaSpec = Out<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = message(
  "ResourceQuotaStatus",
  "The enforced limits and the usage of a quota.",
  {
    hard: optional(1, map(amount), "The enforced limits."),
    used: optional(2, map(amount), "The current usage."),
  },
);
export type ResourceQuotaStatus = Out<typeof ResourceQuotaStatus>;

export const ResourceQuota = message("ResourceQuota", "Limits on the total resources of a namespace.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, ResourceQuotaSpec, "The desired state."),
  status: optional(3, ResourceQuotaStatus, "The observed state."),
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
