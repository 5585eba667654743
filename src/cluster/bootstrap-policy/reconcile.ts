import {
  type ClusterRoleBinding,
  clusterRoleBindings,
  type RoleBinding,
  roleBindings,
  type Subject,
} from "../../api/rbac/role-binding/schema.ts";
import {
  type ClusterRole,
  clusterRoles as clusterRoleKind,
  type PolicyRule,
  type Role,
  roles as roleKind,
} from "../../api/rbac/role/schema.ts";
import { uncovered } from "../../apiserver/authz/covers.ts";
import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { hasReason, type StatusReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { bindings } from "./bindings.ts";
import { clusterRoles } from "./cluster-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { type BootstrapBinding, type BootstrapRole, aggregationLabels, aggregationRule } from "./language.ts";
import { namespaceRoles } from "./namespace-roles.ts";

const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const autoupdate = "rbac.authorization.kubernetes.io/autoupdate";
const annotations = { [autoupdate]: "true" };

/**
 * Creates the missing roles and bindings of the bootstrap policy, and adds the rules and subjects that present ones
 * lack, unless their annotation `autoupdate` is `false`. Rules and subjects that users added stay (component-helpers
 * `auth/rbac/reconciliation`).
 */
export async function reconcileBootstrapPolicy(client: Client): Promise<void> {
  const roles = [...clusterRoles, ...controllerRoles, ...namespaceRoles];
  const present = await readPresent(client);
  await Promise.all([
    ...roles.map((one) => {
      const found = present.roles.get(`${one.namespace}/${one.name}`);
      const rules = rulesOf(one, roles);
      return found === undefined
        ? ignoreReason("AlreadyExists", createRole(client, one, rules))
        : completeRole(client, found, one.gathers.length === 0 ? rules : []);
    }),
    ...bindings.map((one) => {
      const found = present.bindings.get(`${one.namespace}/${one.name}`);
      return found === undefined
        ? ignoreReason("AlreadyExists", createBinding(client, one))
        : completeBinding(client, found, one.subjects);
    }),
  ]);
}

/** The present objects, by namespace and name. */
async function readPresent(client: Client) {
  const [clusterRoleList, roleList, clusterBindings, bindingList] = await Promise.all([
    client.of(clusterRoleKind).list(),
    client.of(roleKind).list(),
    client.of(clusterRoleBindings).list(),
    client.of(roleBindings).list(),
  ]);
  return {
    roles: byPlace<ClusterRole | Role>([...clusterRoleList.items, ...roleList.items]),
    bindings: byPlace<ClusterRoleBinding | RoleBinding>([...clusterBindings.items, ...bindingList.items]),
  };
}

function byPlace<O extends KubeObject>(items: readonly O[]): ReadonlyMap<string, O> {
  return new Map(items.map((one) => [`${one.metadata.namespace ?? ""}/${one.metadata.name}`, one]));
}

const mayUpdate = ({ metadata }: KubeObject) => metadata.annotations?.[autoupdate] !== "false";

/** Adds the rules that a role lacks. An aggregated role gets its rules from its controller. */
async function completeRole(
  client: Client,
  found: ClusterRole | Role,
  wanted: readonly PolicyRule[],
): Promise<void> {
  const rules = found.rules ?? [];
  const missing = deepEqual(rules, wanted) || !mayUpdate(found) ? [] : uncovered(rules, wanted);
  if (missing.length === 0) return;
  const { name = "", namespace = "" } = found.metadata;
  const patch = { metadata: versionOf(found), rules: [...rules, ...missing] };
  const own = namespace === "" ? client.of(clusterRoleKind) : client.of(roleKind, namespace);
  await ignoreReason("Conflict", own.patch(name, patch, { type: "merge" }));
}

/** Adds the subjects that a binding lacks. */
async function completeBinding(
  client: Client,
  found: ClusterRoleBinding | RoleBinding,
  wanted: readonly Subject[],
): Promise<void> {
  const subjects = found.subjects ?? [];
  const missing = wanted.filter((one) => !subjects.some((present) => isSameSubject(present, one)));
  if (missing.length === 0 || !mayUpdate(found)) return;
  const { name = "", namespace = "" } = found.metadata;
  const patch = { metadata: versionOf(found), subjects: [...subjects, ...missing] };
  const own = namespace === "" ? client.of(clusterRoleBindings) : client.of(roleBindings, namespace);
  await ignoreReason("Conflict", own.patch(name, patch, { type: "merge" }));
}

function isSameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");
}

/** The version that a patch applies to: another change in between is not overwritten. */
function versionOf({ metadata: { resourceVersion } }: KubeObject) {
  return { resourceVersion };
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

async function ignoreReason(reason: StatusReason, written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!hasReason(error, reason)) throw error;
  }
}
