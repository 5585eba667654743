import type { Amounts } from "../../api/core/pod/resources.ts";
import {
  addAmounts,
  formatAmounts,
  parseAmounts,
  pick,
  whole,
} from "../../api/core/resource-quota/amounts.ts";
import { type Evaluator, isInScopes } from "../../api/core/resource-quota/evaluator.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/core/resource-quota/schema.ts";
import type { KubeObject } from "../../meta/kind.ts";

/** Returns zero for each resource that the quota limits and the kind uses. */
export function zeroUsage({ spec: { hard = {} } }: ResourceQuota, evaluator: Evaluator): Amounts {
  return new Map(
    Object.keys(hard)
      .filter((name) => evaluator.uses(name))
      .map((name) => [name, whole(0)]),
  );
}

/** Adds the usage of the objects that the quota's scopes select. */
export function addUsage(
  to: Amounts,
  { spec }: ResourceQuota,
  evaluator: Evaluator,
  objects: readonly KubeObject[],
  now: number,
): void {
  for (const object of objects) {
    if (isInScopes(evaluator, spec, object)) addAmounts(to, pick(evaluator.usage(object, now), to));
  }
}

/** The usage of objects that count as one each. Scopes select none of them. */
export function countUsage(quota: ResourceQuota, evaluator: Evaluator, count: number): Amounts {
  const { scopes = [], scopeSelector } = quota.spec;
  const isScoped = scopes.length + (scopeSelector?.matchExpressions ?? []).length > 0;
  const names = [...zeroUsage(quota, evaluator).keys()];
  return new Map(names.map((name) => [name, whole(isScoped ? 0 : count)]));
}

/**
 * Returns the quota's next status; undefined when it is up to date. Resources whose usage is not known keep the
 * recorded one (upstream `resourcequota/resource_quota_controller.go`).
 */
export function planStatus({ spec, status }: ResourceQuota, usage: Amounts): ResourceQuotaStatus | undefined {
  const hard = parseAmounts(spec.hard);
  const used = pick(new Map([...parseAmounts(status.used), ...usage]), hard);
  const isCurrent =
    status.hard !== undefined &&
    status.used !== undefined &&
    isEqual(hard, parseAmounts(status.hard)) &&
    isEqual(used, parseAmounts(status.used));
  return isCurrent ? undefined : { hard: formatAmounts(hard), used: formatAmounts(used) };
}

/** Reports whether a status lowers the recorded usage of any resource. */
export function lowersUsage({ status }: ResourceQuota, next: ResourceQuotaStatus): boolean {
  const now = parseAmounts(next.used);
  return [...parseAmounts(status.used)].some(([name, { nanos }]) => (now.get(name)?.nanos ?? nanos) < nanos);
}

function isEqual(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos);
}
