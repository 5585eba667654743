import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { list, messages, optional, type Out, pointer, required, string } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.rbac.v1");

export const PolicyRule = message("PolicyRule", "What may be done to what.", {
  verbs: required(1, list(string), "What may be done; `*` is all."),
  apiGroups: optional(2, list(string), "The groups; an empty string is the core group, `*` all."),
  resources: optional(3, list(string), "The resources, with subresources after a slash; `*` is all."),
  resourceNames: optional(4, list(string), "The objects by name; all when empty."),
  nonResourceURLs: optional(5, list(string), "Paths beside the API; `*` may end one."),
});

export type PolicyRule = Out<typeof PolicyRule>;

export const Role = message("Role", "Permissions in one namespace.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  rules: required(2, list(PolicyRule), "The permissions."),
});

export const roles = defineKind(Role, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  namespaced: true,
});

export type Role = ObjectOf<typeof roles>;

export const AggregationRule = message("AggregationRule", "Builds a role's rules from those of others.", {
  clusterRoleSelectors: optional(1, list(LabelSelector), "Selects the ClusterRoles; any of them may match."),
});

export type AggregationRule = Out<typeof AggregationRule>;

export const ClusterRole = message(
  "ClusterRole",
  "Permissions in the whole cluster, or to be granted in namespaces.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    rules: required(2, list(PolicyRule), "The permissions."),
    aggregationRule: pointer(3, AggregationRule, "How a controller fills in the rules."),
  },
);

export const clusterRoles = defineKind(ClusterRole, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
});

export type ClusterRole = ObjectOf<typeof clusterRoles>;
