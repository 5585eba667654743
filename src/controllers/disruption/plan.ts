import type { Pod } from "../../api/core/pod/schema.ts";
import { verdictOf, withVerdict } from "../../api/policy/pod-disruption-budget/disruption-allowed.ts";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady } from "../pods/pod-state.ts";
import { present } from "../present.ts";

/** A granted eviction that nothing came of for so long is taken back (upstream `DeletionTimeout`). */
export const deletionTimeoutMs = 120_000;

export interface Observed {
  readonly budget: PodDisruptionBudget;
  /** What it selects. */
  readonly pods: readonly Pod[];
  /** How many Pods there should be: as many as there are, or, where `countsByScale`, as their controllers want. */
  readonly expected: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Plan {
  /** The status as it should read; undefined when it does already. */
  readonly status: PodDisruptionBudgetStatus | undefined;
  /** Pods whose eviction was granted, but which nobody deleted. */
  readonly notDeleted: readonly Pod[];
  /** When the next granted eviction is to be taken back, in ms. */
  readonly checkAfterMs: number | undefined;
}

/** Whether shares of the Pods are shares of what their controllers want, not of what there happens to be. */
export function countsByScale({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** How many disruptions a budget grants now (upstream `disruption/disruption.go`, `trySync`). */
export function planBudget({ budget, pods, expected, now }: Observed): Plan {
  const { spec, status: old, metadata } = budget;
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const granted = staying.flatMap((pod) => {
    const { name = "" } = pod.metadata;
    const since = old.disruptedPods?.[name];
    return since === undefined
      ? []
      : [{ pod, entry: [name, since] as const, leftMs: Date.parse(since) + deletionTimeoutMs - now }];
  });
  const leaving = granted.filter(({ leftMs }) => leftMs > 0);
  const left = new Set(leaving.map(({ pod }) => pod));
  const currentHealthy = staying.filter((pod) => isReady(pod) && !left.has(pod)).length;
  const isLimited = spec.minAvailable !== undefined || spec.maxUnavailable !== undefined;
  const expectedPods = isLimited ? expected : 0;
  const desiredHealthy = desired(spec, expectedPods);
  const counted = present({
    observedGeneration: metadata.generation,
    disruptedPods: leaving.length === 0 ? undefined : Object.fromEntries(leaving.map(({ entry }) => entry)),
    // A budget without Pods grants nothing: its first ones may come before anybody has counted them.
    disruptionsAllowed: expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: old.conditions,
  });
  const status = withVerdict(counted, verdictOf(counted), now);
  return {
    status: deepEqual(status, old) ? undefined : status,
    notDeleted: granted.filter(({ leftMs }) => leftMs <= 0).map(({ pod }) => pod),
    checkAfterMs: leaving.length === 0 ? undefined : Math.min(...leaving.map(({ leftMs }) => leftMs)),
  };
}

function desired(
  { minAvailable = 0, maxUnavailable }: PodDisruptionBudget["spec"],
  expected: number,
): number {
  if (maxUnavailable !== undefined) return Math.max(0, expected - scaled(maxUnavailable, expected));
  return scaled(minAvailable, expected);
}

/** Percentages are rounded up, also of what may go. */
function scaled(value: number | string, of: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);
}

/** What a budget that cannot be worked out says: nothing is granted. Undefined when it says so already. */
export function failedStatus(
  { status: old }: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus | undefined {
  const verdict = { status: "False", reason: "SyncFailed", message } as const;
  const status = withVerdict({ ...old, disruptionsAllowed: 0 }, verdict, now);
  return deepEqual(status, old) ? undefined : status;
}
