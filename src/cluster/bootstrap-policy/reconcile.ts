import { clusterRoleBindings, roleBindings } from "../../api/rbac/role-binding/schema.ts";
import {
  clusterRoles as clusterRoleKind,
  type PolicyRule,
  roles as roleKind,
} from "../../api/rbac/role/schema.ts";
import type { Client } from "../../client/client.ts";
import { hasReason } from "../../meta/status.ts";
import { bindings } from "./bindings.ts";
import { clusterRoles } from "./cluster-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { type BootstrapBinding, type BootstrapRole, aggregationLabels, aggregationRule } from "./language.ts";
import { namespaceRoles } from "./namespace-roles.ts";

const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

/** Creates the missing roles and bindings of the bootstrap policy. Users' changes to existing ones stay. */
export async function reconcileBootstrapPolicy(client: Client): Promise<void> {
  const roles = [...clusterRoles, ...controllerRoles, ...namespaceRoles];
  const present = await presentNames(client);
  const missing = <T extends { readonly name: string; readonly namespace: string }>(
    kind: string,
    all: readonly T[],
  ) => all.filter(({ name, namespace }) => !present.has(`${kind}/${namespace}/${name}`));
  await Promise.all([
    ...missing("role", roles).map((one) => ignorePresent(createRole(client, one, rulesOf(one, roles)))),
    ...missing("binding", bindings).map((one) => ignorePresent(createBinding(client, one))),
  ]);
}

async function presentNames(client: Client): Promise<ReadonlySet<string>> {
  const [clusterRoleList, roleList, clusterBindings, bindingList] = await Promise.all([
    client.of(clusterRoleKind).list(),
    client.of(roleKind).list(),
    client.of(clusterRoleBindings).list(),
    client.of(roleBindings).list(),
  ]);
  const names = (
    kind: string,
    items: readonly { readonly metadata: { name?: string; namespace?: string } }[],
  ) => items.map(({ metadata: { name = "", namespace = "" } }) => `${kind}/${namespace}/${name}`);
  return new Set([
    ...names("role", [...clusterRoleList.items, ...roleList.items]),
    ...names("binding", [...clusterBindings.items, ...bindingList.items]),
  ]);
}

/** Returns a role's initial rules. An aggregated role starts complete, before its controller runs. */
function rulesOf({ gathers, rules }: BootstrapRole, all: readonly BootstrapRole[]): readonly PolicyRule[] {
  if (gathers.length === 0) return rules;
  const gathered = all.filter(({ aggregateTo }) => aggregateTo.some((name) => gathers.includes(name)));
  return gathered.flatMap((one) => rulesOf(one, all));
}

async function createRole(
  client: Client,
  role: BootstrapRole,
  rules: readonly PolicyRule[],
): Promise<unknown> {
  const { name, namespace, aggregateTo, gathers } = role;
  const metadata = { name, labels: { ...labels, ...aggregationLabels(aggregateTo) }, annotations };
  if (namespace !== "") return client.of(roleKind, namespace).create({ metadata, rules });
  return client.of(clusterRoleKind).create({
    metadata,
    rules,
    ...(gathers.length === 0 ? {} : { aggregationRule: aggregationRule(role) }),
  });
}

async function createBinding(
  client: Client,
  { name, namespace, role, subjects }: BootstrapBinding,
): Promise<unknown> {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", ...role };
  const input = { metadata: { name, labels, annotations }, roleRef, subjects };
  if (namespace !== "") return client.of(roleBindings, namespace).create(input);
  return client.of(clusterRoleBindings).create(input);
}

async function ignorePresent(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}
