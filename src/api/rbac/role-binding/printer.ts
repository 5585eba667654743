import type { Column } from "../../../meta/strategy.ts";
import { column, wide } from "../../printing.ts";
import type { ClusterRoleBinding, RoleBinding } from "./schema.ts";

type Binding = RoleBinding | ClusterRoleBinding;

function subjectsText({ subjects = [] }: Binding, wanted: string): string {
  return subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ name, namespace = "" }) => (wanted === "ServiceAccount" ? `${namespace}/${name}` : name))
    .join(", ");
}

export const bindingColumns: readonly Column<Binding>[] = [
  column("Role", "The role that is granted.", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  wide(column("Users", "Users who get it.", (binding) => subjectsText(binding, "User"))),
  wide(column("Groups", "Groups that get it.", (binding) => subjectsText(binding, "Group"))),
  wide(
    column("ServiceAccounts", "ServiceAccounts that get it.", (binding) =>
      subjectsText(binding, "ServiceAccount"),
    ),
  ),
];
