import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { list, messages, optional, type Out, pointer, required, string } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.rbac.v1");

export const PolicyRule = message("PolicyRule", "Verbs that are allowed on resources or paths.", {
  verbs: required(1, list(string), "The verbs; `*` is all."),
  apiGroups: optional(2, list(string), "The groups; an empty string is the core group, `*` all."),
  resources: optional(3, list(string), "The resources, with subresources after a slash; `*` is all."),
  resourceNames: optional(4, list(string), "The names of objects; all when empty."),
  nonResourceURLs: optional(5, list(string), "Non-resource URL paths; `*` is allowed at the end."),
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

export const AggregationRule = message("AggregationRule", "Combines the rules of other roles.", {
  clusterRoleSelectors: optional(
    1,
    list(LabelSelector),
    "The label selectors of the ClusterRoles; one must match.",
  ),
});

export type AggregationRule = Out<typeof AggregationRule>;

export const ClusterRole = message(
  "ClusterRole",
  "Permissions in the whole cluster, or to be granted in namespaces.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    rules: required(2, list(PolicyRule), "The permissions."),
    aggregationRule: pointer(
      3,
      AggregationRule,
      "The selection of other roles whose rules a controller copies.",
    ),
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
