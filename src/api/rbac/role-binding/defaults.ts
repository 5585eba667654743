import type { Draft } from "../../../meta/schema.ts";
import type { ClusterRoleBinding, RoleBinding } from "./schema.ts";

/** Defaults the API group of users and groups to RBAC's group, and of ServiceAccounts to the core group. */
export function defaultBinding({ subjects = [] }: Draft<RoleBinding | ClusterRoleBinding>): void {
  for (const subject of subjects) {
    if (subject.kind === "User" || subject.kind === "Group") {
      subject.apiGroup ??= "rbac.authorization.k8s.io";
    }
  }
}
