import type { ClusterRole, PolicyRule } from "../../api/rbac/role/schema.ts";
import { selectorOf } from "../../meta/labels.ts";
import { deepEqual } from "../../util/deep-equal.ts";

/** The rules of all roles that the role's selectors choose, each once; undefined when it has just these already. */
export function planRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const byName = all.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const chosen = (role.aggregationRule.clusterRoleSelectors ?? []).flatMap((selector) => {
    const matching = selectorOf(selector);
    return byName.filter(
      ({ metadata }) => metadata.name !== role.metadata.name && matching.matches(metadata.labels),
    );
  });
  const rules: PolicyRule[] = [];
  for (const rule of chosen.flatMap((one) => one.rules)) {
    if (!rules.some((present) => deepEqual(present, rule))) rules.push(rule);
  }
  return deepEqual(rules, role.rules) ? undefined : rules;
}
