import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { list, messages, optional, type Out, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.rbac.v1");

export const Subject = message(
  "Subject",
  "A user, group or ServiceAccount.",
  {
    kind: required(1, string, "User, Group or ServiceAccount."),
    apiGroup: optional(2, string, "The subject's group."),
    name: required(3, string, "The subject's name."),
    namespace: optional(4, string, "The ServiceAccount's namespace."),
  },
  { atomic: true },
);

export type Subject = Out<typeof Subject>;

export const RoleRef = message(
  "RoleRef",
  "The granted role.",
  {
    apiGroup: required(1, string, "The role's group.", { default: "rbac.authorization.k8s.io" }),
    kind: required(2, string, "Role or ClusterRole."),
    name: required(3, string, "The role's name."),
  },
  { atomic: true },
);

export type RoleRef = Out<typeof RoleRef>;

export const RoleBinding = message("RoleBinding", "Grants a role in one namespace.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  subjects: optional(2, list(Subject), "The subjects that get the role."),
  roleRef: required(3, RoleRef, "The role; immutable."),
});

export const roleBindings = defineKind(RoleBinding, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
});

export type RoleBinding = ObjectOf<typeof roleBindings>;

export const ClusterRoleBinding = message(
  "ClusterRoleBinding",
  "Grants a ClusterRole in the whole cluster.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    subjects: optional(2, list(Subject), "The subjects that get the role."),
    roleRef: required(3, RoleRef, "The role; immutable."),
  },
);

export const clusterRoleBindings = defineKind(ClusterRoleBinding, {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
});

export type ClusterRoleBinding = ObjectOf<typeof clusterRoleBindings>;
