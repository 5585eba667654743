import type { ClusterRole, PolicyRule } from "../../api/rbac/role/schema.ts";
import type { Subject } from "../../api/rbac/role-binding/schema.ts";

/** The vocabulary of the bootstrap policy. Lists are words separated by spaces. */

export interface BootstrapRole {
  readonly name: string;
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  /** The aggregated roles that include these rules: `admin`, `edit`, `view`. */
  readonly aggregateTo: readonly string[];
  /** The labels of an aggregated role's selectors; empty for any other role. */
  readonly gathers: readonly string[];
}

export interface BootstrapBinding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly role: { readonly kind: "ClusterRole" | "Role"; readonly name: string };
  readonly subjects: readonly Subject[];
}

const aggregationPrefix = "rbac.authorization.k8s.io/aggregate-to-";

const words = (text: string): readonly string[] => text.split(" ").filter((word) => word !== "");

/** `core` stands for the core group, whose name is empty. */
export function allow(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
    resources: words(resources),
    ...(names === "" ? {} : { resourceNames: words(names) }),
  };
}

export function paths(verbs: string, urls: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(urls) };
}

export function role(
  name: string,
  rules: readonly PolicyRule[],
  { namespace = "", aggregateTo = "" }: { readonly namespace?: string; readonly aggregateTo?: string } = {},
): BootstrapRole {
  return { name, namespace, rules, aggregateTo: words(aggregateTo), gathers: [] };
}

/** A ClusterRole with the rules of all roles that aggregate to it. */
export function aggregate(name: string, gathers: string, aggregateTo = ""): BootstrapRole {
  return { name, namespace: "", rules: [], aggregateTo: words(aggregateTo), gathers: words(gathers) };
}

export function binding(
  role: string,
  subjects: readonly Subject[],
  options: { readonly name?: string; readonly namespace?: string; readonly of?: "ClusterRole" | "Role" } = {},
): BootstrapBinding {
  const { name = role, namespace = "", of: kind = "ClusterRole" } = options;
  return { name, namespace, role: { kind, name: role }, subjects };
}

const apiGroup = "rbac.authorization.k8s.io";

export const user = (name: string): Subject => ({ kind: "User", apiGroup, name });
export const group = (name: string): Subject => ({ kind: "Group", apiGroup, name });
export const serviceAccount = (name: string, namespace = "kube-system"): Subject => ({
  kind: "ServiceAccount",
  name,
  namespace,
});

export const aggregationLabels = (to: readonly string[]): Record<string, string> =>
  Object.fromEntries(to.map((name) => [aggregationPrefix + name, "true"]));

export function aggregationRule({ gathers }: BootstrapRole): ClusterRole["aggregationRule"] {
  return {
    clusterRoleSelectors: gathers.map((name) => ({
      matchLabels: { [`${aggregationPrefix}${name}`]: "true" },
    })),
  };
}
