import {
  type ClusterRole,
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type Role,
  type RoleBinding,
  roleBindings,
  roles,
} from "../../api/rbac/v1.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { PolicyRule } from "../authz/authorizer.ts";
import { uncovered } from "../authz/covers.ts";
import { ruleTexts } from "../authz/rule-text.ts";
import type { Services } from "../services.ts";
import type { AdmissionPlugin, Attributes } from "./plugin.ts";

/**
 * Nobody grants what they do not have (registry `rbac/*_policybased`): who writes a role must hold its rules or
 * may `escalate`; who writes a binding must hold the bound role's rules or may `bind` it.
 */
export const rbacEscalation: AdmissionPlugin = {
  name: "RBACEscalation",
  validate(attributes, services) {
    const { operation, resource, user, namespace, object, old } = attributes;
    if (operation === "DELETE" || object === undefined || user.groups.includes("system:masters")) return;
    const { kind } = resource;
    if (kind === roles || kind === clusterRoles) {
      const { rules, aggregationRule } = object as unknown as ClusterRole;
      const before = old as unknown as ClusterRole | undefined;
      if (deepEqual(rules, before?.rules) && deepEqual(aggregationRule, before?.aggregationRule)) return;
      if (may(services, user, "escalate", attributes, resource.name.resource, attributes.name)) return;
      checkRules(services, attributes, rules, kind === roles ? namespace : "");
      if (aggregationRule !== undefined) checkAggregation(services, attributes);
    } else if (kind === roleBindings || kind === clusterRoleBindings) {
      const { roleRef } = object as unknown as RoleBinding | ClusterRoleBinding;
      const plural = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
      if (may(services, user, "bind", attributes, plural, roleRef.name)) return;
      checkRules(
        services,
        attributes,
        rulesOf(services, roleRef, namespace),
        kind === roleBindings ? namespace : "",
      );
    }
  },
};

/** What such a role will gather nobody knows yet: it may be everything. */
function checkAggregation({ authorizer }: Services, { user, resource, name }: Attributes): void {
  const held = authorizer.rulesFor(user, "");
  if (uncovered(held, everything).length === 0) return;
  const why = "must have cluster-admin privileges to use an aggregationRule";
  throw errors.forbidden(resource.name, name, why);
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function may(
  { authorizer }: Services,
  user: UserInfo,
  verb: string,
  { namespace }: Attributes,
  resource: string,
  name: string,
) {
  const group = "rbac.authorization.k8s.io";
  const target = {
    type: "resource",
    group,
    version: "v1",
    namespace,
    resource,
    subresource: "",
    name,
  } as const;
  return authorizer.authorize({ user, verb, target }).allowed;
}

function rulesOf(
  { store, codec, resources }: Services,
  ref: RoleBinding["roleRef"],
  namespace: string,
): readonly PolicyRule[] {
  const isCluster = ref.kind === "ClusterRole";
  const served = resources.of(isCluster ? clusterRoles : roles);
  const entry = store.read(served.key(namespace, ref.name));
  if (entry === undefined) throw errors.notFound(served.name, ref.name);
  return (codec.decode(entry) as unknown as Role | ClusterRole).rules;
}

function checkRules(
  services: Services,
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
