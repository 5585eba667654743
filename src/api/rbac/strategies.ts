import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import { plainColumns } from "../printing.ts";
import { defaultBinding } from "./defaults.ts";
import { bindingColumns } from "./printers.ts";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type Role,
  type RoleBinding,
  roleBindings,
  roles,
} from "./v1.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
  validateSameRole,
} from "./validation.ts";

const roleStrategy: Strategy<Role> = {
  validateName: pathSegmentProblems,
  validate: validateRole,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};

const clusterRoleStrategy: Strategy<ClusterRole> = {
  validateName: pathSegmentProblems,
  validate: validateClusterRole,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};

const roleBindingStrategy: Strategy<RoleBinding> = {
  setDefaults: defaultBinding,
  validateName: pathSegmentProblems,
  validate: validateRoleBinding,
  validateUpdate: validateSameRole,
  allowCreateOnUpdate: true,
  columns: bindingColumns,
};

const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  setDefaults: defaultBinding,
  validateName: pathSegmentProblems,
  validate: validateClusterRoleBinding,
  validateUpdate: validateSameRole,
  allowCreateOnUpdate: true,
  columns: bindingColumns,
};

/** The group `rbac.authorization.k8s.io`. Who may grant what is the server's business. */
export const rbacRegistrations: readonly Registration[] = [
  serve(clusterRoleBindings, clusterRoleBindingStrategy),
  serve(clusterRoles, clusterRoleStrategy),
  serve(roleBindings, roleBindingStrategy),
  serve(roles, roleStrategy),
];
