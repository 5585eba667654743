import type { Pod } from "../../api/core/pod/schema.ts";
import { verdictOf, withVerdict } from "../../api/policy/pod-disruption-budget/disruption-allowed.ts";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady } from "../pods/pod-state.ts";
import { present } from "../../util/present.ts";

/**
 * A Pod whose eviction was granted this long ago without being deleted counts as healthy again (upstream
 * `DeletionTimeout`).
 */
export const deletionTimeoutMs = 120_000;

export interface Observed {
  readonly budget: PodDisruptionBudget;
  /** The Pods that the budget selects. */
  readonly pods: readonly Pod[];
  /**
   * The expected number of Pods: the number selected, or, with `countsByScale`, the number that their
   * controllers want.
   */
  readonly expected: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Plan {
  /** The new status; undefined when nothing changes. */
  readonly status: PodDisruptionBudgetStatus | undefined;
  /** Pods whose eviction was granted, but which were not deleted in time. */
  readonly notDeleted: readonly Pod[];
  /** Milliseconds until the next granted eviction expires. */
  readonly checkAfterMs: number | undefined;
}

/**
 * Reports whether percentages refer to the replicas that the controllers want, rather than to the selected
 * Pods.
 */
export function countsByScale({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** Computes the allowed disruptions of a budget (upstream `disruption/disruption.go`, `trySync`). */
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
    // A budget without Pods allows none: its first Pods may be created before they are counted.
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

/** Percentages are rounded up, also those of `maxUnavailable`. */
function scaled(value: number | string, of: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);
}

/**
 * Returns the status of a budget that cannot be computed: no disruption is allowed. Undefined when nothing
 * changes.
 */
export function failedStatus(
  { status: old }: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus | undefined {
  const verdict = { status: "False", reason: "SyncFailed", message } as const;
  const status = withVerdict({ ...old, disruptionsAllowed: 0 }, verdict, now);
  return deepEqual(status, old) ? undefined : status;
}
