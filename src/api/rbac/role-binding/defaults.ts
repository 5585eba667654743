import type { Draft } from "../../../meta/schema.ts";
import type { ClusterRoleBinding, RoleBinding } from "./schema.ts";

/** Users and groups belong to RBAC's own group, ServiceAccounts to the core group. */
export function defaultBinding({ subjects = [] }: Draft<RoleBinding | ClusterRoleBinding>): void {
  for (const subject of subjects) {
    if (subject.kind === "User" || subject.kind === "Group") {
      subject.apiGroup ??= "rbac.authorization.k8s.io";
    }
  }
}
