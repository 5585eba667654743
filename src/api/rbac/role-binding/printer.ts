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
  column("Role", "The granted role.", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  wide(column("Users", "The users that get the role.", (binding) => subjectsText(binding, "User"))),
  wide(column("Groups", "The groups that get the role.", (binding) => subjectsText(binding, "Group"))),
  wide(
    column("ServiceAccounts", "The ServiceAccounts that get the role.", (binding) =>
      subjectsText(binding, "ServiceAccount"),
    ),
  ),
];
