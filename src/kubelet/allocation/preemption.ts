import { type QosClass, qosClass } from "../../api/core/pod/qos.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { isPreemptable } from "./critical.ts";
import { requestOf } from "./filter.ts";

/** The missing amounts by resource: CPU in thousandths, everything else in whole units. */
export type Needs = ReadonlyMap<string, number>;

/**
 * Returns the Pods that end so that a critical one fits, or undefined when all of them together are not enough
 * (kubelet `preemption.go`). Best-effort Pods are chosen first, then burstable ones; of a class, those whose requests
 * come nearest to the needs.
 */
export function podsToPreempt(
  preemptor: Pod,
  pods: readonly Pod[],
  needs: Needs,
): readonly Pod[] | undefined {
  const preemptable = pods.filter((pod) => isPreemptable(preemptor, pod));
  if (subtract(needs, preemptable).size > 0) return undefined;
  const of = (qos: QosClass) => preemptable.filter((pod) => qosClass(pod.spec) === qos);
  const [bestEffort, burstable] = [of("BestEffort"), of("Burstable")];
  const guaranteed = nearest(of("Guaranteed"), subtract(needs, [...bestEffort, ...burstable]));
  const someBurstable = nearest(burstable, subtract(needs, [...bestEffort, ...guaranteed]));
  const someBestEffort = nearest(bestEffort, subtract(needs, [...someBurstable, ...guaranteed]));
  return [...someBestEffort, ...someBurstable, ...guaranteed];
}

/** Takes one Pod after the other, always the nearest to what is still missing; of equal ones, the smaller. */
function nearest(pods: readonly Pod[], needs: Needs): readonly Pod[] {
  const chosen: Pod[] = [];
  const rest = [...pods];
  for (let missing = needs; missing.size > 0 && rest.length > 0;) {
    let best = 0;
    let least = Infinity;
    for (const [index, pod] of rest.entries()) {
      const away = distance(missing, pod);
      const [other] = rest.slice(best, best + 1);
      const isBetter = away < least || (away === least && other !== undefined && isSmaller(pod, other));
      if (isBetter) [best, least] = [index, away];
    }
    const taken = rest.splice(best, 1);
    chosen.push(...taken);
    missing = subtract(missing, taken);
  }
  return chosen;
}

/** Returns the needs that remain after the end of the Pods. */
function subtract(needs: Needs, pods: readonly Pod[]): Needs {
  const left = [...needs].map(([name, amount]): [string, number] => [
    name,
    pods.reduce((rest, pod) => rest - amountOf(pod, name), amount),
  ]);
  return new Map(left.filter(([, amount]) => amount > 0));
}

function distance(needs: Needs, pod: Pod): number {
  let sum = 0;
  for (const [name, amount] of needs) {
    const rest = amount - amountOf(pod, name);
    if (rest > 0) sum += (rest / amount) ** 2;
  }
  return sum;
}

function isSmaller(a: Pod, b: Pod): boolean {
  for (const name of ["memory", "cpu"]) {
    const difference = amountOf(a, name) - amountOf(b, name);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

function amountOf(pod: Pod, name: string): number {
  return name === "pods" ? 1 : (requestOf(pod).get(name) ?? 0);
}
