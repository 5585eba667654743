import { serve, type Registration } from "../../meta/strategy.ts";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "./v1.ts";

/** The group `rbac.authorization.k8s.io`. */
export const rbacRegistrations: readonly Registration[] = [
  serve(clusterRoleBindings),
  serve(clusterRoles),
  serve(roleBindings),
  serve(roles),
];
