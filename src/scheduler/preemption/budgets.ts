import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodDisruptionBudget } from "../../api/policy/pod-disruption-budget/schema.ts";
import { selectorOf } from "../../meta/labels.ts";

/**
 * Divides Pods by whether their removal, one after the other, violates a disruption budget (scheduler
 * `filterPodsWithPDBViolation`).
 */
export function divideByBudgets(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly Pod[]; readonly others: readonly Pod[] } {
  const left = budgets.map((budget) => ({
    budget,
    selector: selectorOf(budget.spec.selector),
    allowed: budget.status.disruptionsAllowed,
  }));
  const violating: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    const { namespace, name = "", labels } = pod.metadata;
    let violates = false;
    for (const one of left) {
      const isOurs = one.budget.metadata.namespace === namespace && Object.keys(labels ?? {}).length > 0;
      if (!isOurs || one.selector.empty || !one.selector.matches(labels)) continue;
      // The eviction of this Pod is granted already.
      if (Object.hasOwn(one.budget.status.disruptedPods ?? {}, name)) continue;
      one.allowed -= 1;
      violates ||= one.allowed < 0;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}
