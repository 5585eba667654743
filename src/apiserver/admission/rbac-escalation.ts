import { type ClusterRole, clusterRoles, roles } from "../../api/rbac/role/schema.ts";
import { clusterRoleBindings, type RoleBinding, roleBindings } from "../../api/rbac/role-binding/schema.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { PolicyRule } from "../authz/authorizer.ts";
import { uncovered } from "../authz/covers.ts";
import { ruleTexts } from "../authz/rule-text.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin, type Attributes, type AttributesOf } from "./plugin.ts";

/**
 * Prevents users from granting permissions that they do not hold (registry `rbac/*_policybased`). Writing a
 * role requires its rules or the verb `escalate`; writing a binding requires the bound role's rules or the
 * verb `bind`.
 *
 * An update is checked even when it leaves the rules unchanged: a label on a ClusterRole adds its rules to
 * every role that aggregates by that label.
 */
export const rbacEscalation: AdmissionPlugin = {
  name: "RBACEscalation",
  validate(attributes, services) {
    const { operation, user, object, old } = attributes;
    if (operation === "DELETE" || object === undefined || user.groups.includes("system:masters")) return;
    const role = about(roles, attributes) ?? about(clusterRoles, attributes);
    const binding = about(roleBindings, attributes) ?? about(clusterRoleBindings, attributes);
    if (role === undefined && binding === undefined) return;
    if (old !== undefined && changesOnlyForCollection(object, old)) return;
    if (role !== undefined) checkRole(role, services);
    if (binding?.object !== undefined) checkBinding(attributes, binding.object, services);
  },
};

/** A Role or a ClusterRole. */
type AnyRole = Pick<ClusterRole, "rules" | "aggregationRule">;

function checkRole(attributes: AttributesOf<AnyRole>, services: AdmissionServices): void {
  const { resource, namespace, pathName, object, old } = attributes;
  if (may(services, attributes, "escalate", resource.name.resource, pathName)) return;
  checkRules(services, attributes, object?.rules ?? [], namespace);
  // An update that removes an aggregation is checked too, because it may keep the role from losing rules
  // later.
  if (selects(object?.aggregationRule) || selects(old?.aggregationRule))
    checkAggregation(services, attributes);
}

const selects = (rule: ClusterRole["aggregationRule"]) => (rule?.clusterRoleSelectors ?? []).length > 0;

function checkBinding(
  attributes: Attributes,
  { roleRef }: Pick<RoleBinding, "roleRef">,
  services: AdmissionServices,
): void {
  const plural = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
  if (may(services, attributes, "bind", plural, roleRef.name)) return;
  const { namespace } = attributes;
  checkRules(services, attributes, rulesOf(services, roleRef, namespace), namespace);
}

/** Reports whether only owners and finalizers change, as the garbage collector does: these grant nothing. */
function changesOnlyForCollection(object: DraftObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...others }: DraftObject | KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...kept } = metadata;
    return { ...others, metadata: kept };
  };
  return deepEqual(rest(object), rest(old));
}

/** Requires all permissions, because a role with an aggregationRule can gain any rule later. */
function checkAggregation({ authorizer }: AdmissionServices, { user, resource, name }: Attributes): void {
  const held = authorizer.rulesFor(user, "");
  if (uncovered(held, everything).length === 0) return;
  const why = "must have cluster-admin privileges to use the aggregationRule";
  throw errors.forbidden(resource.name, name, why);
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function may(
  { authorizer }: AdmissionServices,
  { user, namespace }: Attributes,
  verb: "bind" | "escalate",
  resource: string,
  name: string,
): boolean {
  const group = "rbac.authorization.k8s.io";
  const target = {
    type: "resource",
    group,
    version: "*",
    namespace,
    resource,
    subresource: "",
    name,
  } as const;
  return authorizer.authorize({ user, verb, target }).allowed;
}

function rulesOf(
  { reader }: AdmissionServices,
  ref: RoleBinding["roleRef"],
  namespace: string,
): readonly PolicyRule[] {
  const isCluster = ref.kind === "ClusterRole";
  const found = isCluster ? reader.get(clusterRoles, "", ref.name) : reader.get(roles, namespace, ref.name);
  if (found !== undefined) return found.rules;
  const { group, plural } = isCluster ? clusterRoles : roles;
  throw errors.notFound({ group, resource: plural }, ref.name);
}

function checkRules(
  services: AdmissionServices,
  { user, resource, name }: Attributes,
  wanted: readonly PolicyRule[],
  namespace: string,
): void {
  const held = services.authorizer.rulesFor(user, namespace);
  const missing = uncovered(held, wanted);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const lines = ruleTexts(missing).join("\n");
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines}`;
  throw errors.forbidden(resource.name, name, why);
}
