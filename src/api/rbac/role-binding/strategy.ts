import type { Strategy } from "../../../meta/strategy.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { defaultBinding } from "./defaults.ts";
import { bindingColumns } from "./printer.ts";
import type { ClusterRoleBinding, RoleBinding } from "./schema.ts";
import { validateClusterRoleBinding, validateRoleBinding, validateSameRole } from "./validation.ts";

export const roleBindingStrategy: Strategy<RoleBinding> = {
  setDefaults: defaultBinding,
  validateName: pathSegmentProblems,
  validate: validateRoleBinding,
  validateUpdate: validateSameRole,
  allowCreateOnUpdate: true,
  columns: bindingColumns,
};

export const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  setDefaults: defaultBinding,
  validateName: pathSegmentProblems,
  validate: validateClusterRoleBinding,
  validateUpdate: validateSameRole,
  allowCreateOnUpdate: true,
  columns: bindingColumns,
};
