import { type Registration, serve } from "../../meta/strategy.ts";
import { clusterRoleBindings, roleBindings } from "./role-binding/schema.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./role-binding/strategy.ts";
import { clusterRoles, roles } from "./role/schema.ts";
import { clusterRoleStrategy, roleStrategy } from "./role/strategy.ts";

/** The group `rbac.authorization.k8s.io`. The API server prevents privilege escalation. */
export const rbacRegistrations: readonly Registration[] = [
  serve(clusterRoleBindings, clusterRoleBindingStrategy),
  serve(clusterRoles, clusterRoleStrategy),
  serve(roleBindings, roleBindingStrategy),
  serve(roles, roleStrategy),
];
