import { clusterRoles, roles } from "../../api/rbac/role/schema.ts";
import {
  type ClusterRoleBinding,
  clusterRoleBindings,
  type RoleBinding,
  roleBindings,
  type Subject,
} from "../../api/rbac/role-binding/schema.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import type { Revision } from "../../store/store.ts";
import type { Services } from "../services.ts";
import { ruleAllows } from "./rules.ts";
import type { AccessRequest, Authorizer, Decision, PolicyRule } from "./authorizer.ts";
import { newest } from "../../store/revision.ts";

/** A binding's effect on one subject: the rules of its role, cluster-wide or in one namespace. */
interface Grant {
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  readonly reason: string;
}

const superusers = "system:masters";
const denied: Decision = { allowed: false, reason: "" };

/**
 * Role-based access control (plugin `auth/authorizer/rbac`). Grants are indexed by subject, and rebuilt at
 * the first request after a role or binding has changed.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #services: Pick<Services, "store" | "codec" | "hub">;
  #grants = new Map<string, Grant[]>();
  /** Undefined before the first use. */
  #builtAt: Revision | undefined;

  constructor(services: Pick<Services, "store" | "codec" | "hub">) {
    this.#services = services;
  }

  authorize({ user, verb, target }: AccessRequest): Decision {
    if (user.groups.includes(superusers)) return { allowed: true, reason: "" };
    const namespace = target.type === "resource" ? target.namespace : "";
    for (const { rules, reason } of this.#grantsOf(user, namespace)) {
      if (rules.some((rule) => ruleAllows(rule, verb, target))) return { allowed: true, reason };
    }
    return denied;
  }

  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    const everything: readonly PolicyRule[] = [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
    if (user.groups.includes(superusers)) return everything;
    return [...this.#grantsOf(user, namespace)].flatMap(({ rules }) => rules);
  }

  *#grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    this.#refresh();
    for (const subject of [`User:${user.name}`, ...user.groups.map((group) => `Group:${group}`)]) {
      for (const grant of this.#grants.get(subject) ?? []) {
        if (grant.namespace === "" || grant.namespace === namespace) yield grant;
      }
    }
  }

  #refresh(): void {
    const { hub } = this.#services;
    const kinds = [clusterRoles, clusterRoleBindings, roles, roleBindings];
    const changed = newest(...kinds.map((kind) => hub.feed(groupResource(kind)).last));
    if (changed === this.#builtAt) return;
    this.#builtAt = changed;
    this.#grants = this.#build();
  }

  #build(): Map<string, Grant[]> {
    const clusterRules = new Map(this.#list(clusterRoles).map((role) => [role.metadata.name, role.rules]));
    const rules = new Map(
      this.#list(roles).map((role) => [`${role.metadata.namespace}/${role.metadata.name}`, role.rules]),
    );
    const grants = new Map<string, Grant[]>();
    for (const binding of this.#list(clusterRoleBindings)) {
      const { name } = binding.roleRef;
      const reason = `RBAC: allowed by ClusterRoleBinding ${JSON.stringify(binding.metadata.name)} of ClusterRole ${JSON.stringify(name)}`;
      addGrant(grants, binding, { namespace: "", rules: clusterRules.get(name) ?? [], reason });
    }
    for (const binding of this.#list(roleBindings)) {
      const { kind, name } = binding.roleRef;
      const { namespace = "" } = binding.metadata;
      const found = kind === "ClusterRole" ? clusterRules.get(name) : rules.get(`${namespace}/${name}`);
      const place = JSON.stringify(`${binding.metadata.name}/${namespace}`);
      const reason = `RBAC: allowed by RoleBinding ${place} of ${kind} ${JSON.stringify(name)}`;
      addGrant(grants, binding, { namespace, rules: found ?? [], reason });
    }
    return grants;
  }

  #list<O extends object, I extends object>(kind: Kind<O, I>): readonly KubeObject<O>[] {
    const { store, codec } = this.#services;
    return store.list(`/registry/${groupResource(kind)}/`).entries.map((entry) => codec.read(kind, entry));
  }
}

function addGrant(
  grants: Map<string, Grant[]>,
  binding: RoleBinding | ClusterRoleBinding,
  grant: Grant,
): void {
  for (const subject of binding.subjects ?? []) {
    const reason = `${grant.reason} to ${describe(subject, grant.namespace)}`;
    const key =
      subject.kind === "ServiceAccount"
        ? `User:system:serviceaccount:${subject.namespace ?? grant.namespace}:${subject.name}`
        : `${subject.kind}:${subject.name}`;
    const present = grants.get(key);
    const granted = { ...grant, reason };
    if (present === undefined) grants.set(key, [granted]);
    else present.push(granted);
  }
}

function describe({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  const place = kind === "ServiceAccount" ? `${name}/${namespace ?? bindingNamespace}` : name;
  return `${kind} ${JSON.stringify(place)}`;
}
