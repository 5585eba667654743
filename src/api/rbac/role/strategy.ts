import type { Strategy } from "../../../meta/strategy.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { plainColumns } from "../../printing.ts";
import type { ClusterRole, Role } from "./schema.ts";
import { validateClusterRole, validateRole } from "./validation.ts";

export const roleStrategy: Strategy<Role> = {
  validateName: pathSegmentProblems,
  validate: validateRole,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};

export const clusterRoleStrategy: Strategy<ClusterRole> = {
  validateName: pathSegmentProblems,
  validate: validateClusterRole,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};
