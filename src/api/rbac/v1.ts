import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import { type Out, list, messages, optional, pointer, required, string } from "../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../meta/v1.ts";

const message = messages("io.k8s.api.rbac.v1");

export const PolicyRule = message("PolicyRule", "A policy rule.", {
  verbs: required(1, list(string), "The verbs."),
  apiGroups: optional(2, list(string), "The api groups."),
  resources: optional(3, list(string), "The resources."),
  resourceNames: optional(4, list(string), "The resource names."),
  nonResourceURLs: optional(5, list(string), "The non resource ur ls."),
});
export type PolicyRule = Out<typeof PolicyRule>;

export const Subject = message(
  "Subject",
  "A subject.",
  {
    kind: required(1, string, "The kind."),
    apiGroup: optional(2, string, "The api group."),
    name: required(3, string, "The name."),
    namespace: optional(4, string, "The namespace."),
  },
  { atomic: true },
);
export type Subject = Out<typeof Subject>;

export const RoleRef = message(
  "RoleRef",
  "A role ref.",
  {
    apiGroup: required(1, string, "The api group.", { default: "rbac.authorization.k8s.io" }),
    kind: required(2, string, "The kind."),
    name: required(3, string, "The name."),
  },
  { atomic: true },
);
export type RoleRef = Out<typeof RoleRef>;

export const Role = message("Role", "A role.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  rules: required(2, list(PolicyRule), "The rules."),
});

export const roles = defineKind(Role, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  namespaced: true,
});
export type Role = ObjectOf<typeof roles>;

export const RoleBinding = message("RoleBinding", "A role binding.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  subjects: optional(2, list(Subject), "The subjects."),
  roleRef: required(3, RoleRef, "The role ref."),
});

export const roleBindings = defineKind(RoleBinding, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
});
export type RoleBinding = ObjectOf<typeof roleBindings>;

export const AggregationRule = message("AggregationRule", "A aggregation rule.", {
  clusterRoleSelectors: optional(1, list(LabelSelector), "The cluster role selectors."),
});
export type AggregationRule = Out<typeof AggregationRule>;

export const ClusterRole = message("ClusterRole", "A cluster role.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  rules: required(2, list(PolicyRule), "The rules."),
  aggregationRule: pointer(3, AggregationRule, "The aggregation rule."),
});

export const clusterRoles = defineKind(ClusterRole, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
});
export type ClusterRole = ObjectOf<typeof clusterRoles>;

export const ClusterRoleBinding = message("ClusterRoleBinding", "A cluster role binding.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  subjects: optional(2, list(Subject), "The subjects."),
  roleRef: required(3, RoleRef, "The role ref."),
});

export const clusterRoleBindings = defineKind(ClusterRoleBinding, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
});
export type ClusterRoleBinding = ObjectOf<typeof clusterRoleBindings>;
