import type { ClusterRole, PolicyRule } from "../../api/rbac/role/schema.ts";
import { selectorOf } from "../../meta/labels.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Steps } from "../../util/steps.ts";
import { by } from "../../util/compare.ts";

/** A role may have tens of thousands of selectors, and each is compared with all roles. */
const comparisonsPerStep = 10_000;

/**
 * Returns the rules of all roles that the role's selectors match, without duplicates; undefined when the role
 * has exactly these already.
 */
export function* planRules(
  role: ClusterRole,
  all: readonly ClusterRole[],
): Steps<readonly PolicyRule[] | undefined> {
  if (role.aggregationRule === undefined) return undefined;
  const others = all.filter(({ metadata }) => metadata.name !== role.metadata.name);
  let left = others.toSorted(by(({ metadata }) => metadata.name ?? ""));
  // In canonical form, equal rules have equal texts.
  const rules = new Map<string, PolicyRule>();
  let comparisons = 0;
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const matching = selectorOf(selector);
    const [chosen, rest] = partition(left, ({ metadata }) => matching.matches(metadata.labels));
    for (const rule of chosen.flatMap((one) => one.rules)) rules.set(JSON.stringify(rule), rule);
    comparisons += left.length;
    left = rest;
    if (comparisons < comparisonsPerStep) continue;
    comparisons = 0;
    yield;
  }
  const wanted = [...rules.values()];
  return deepEqual(wanted, role.rules) ? undefined : wanted;
}

function partition<T>(items: readonly T[], isChosen: (item: T) => boolean): readonly [T[], T[]] {
  const chosen: T[] = [];
  const rest: T[] = [];
  for (const item of items) (isChosen(item) ? chosen : rest).push(item);
  return [chosen, rest];
}
