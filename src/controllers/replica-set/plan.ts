import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../api/apps/replica-set/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { selectorOfLabels } from "../../meta/labels.ts";
import { formatTime } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady, untilAvailableMs } from "../pods/pod-state.ts";
import { orAbsent } from "../or-absent.ts";
import { present } from "../../util/present.ts";
import { podsToDelete } from "./deletion-order.ts";

/** The greatest number of Pods that one reconciliation creates or deletes. */
export const burst = 500;

export interface Observed {
  readonly replicaSet: ReplicaSet;
  /** The active Pods. */
  readonly pods: readonly Pod[];
  /** The number of its Pods that are terminating and may still run. */
  readonly terminating: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Scaling =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly count: number }
  | { readonly type: "delete"; readonly pods: readonly Pod[] };

/** Plans creates or deletes up to the desired number. `related` is called only when Pods must be deleted. */
export function planScaling({ replicaSet, pods, now }: Observed, related: () => readonly Pod[]): Scaling {
  if (replicaSet.metadata.deletionTimestamp !== undefined) return { type: "none" };
  const excess = pods.length - wanted(replicaSet);
  if (excess === 0) return { type: "none" };
  if (excess < 0) return { type: "create", count: Math.min(-excess, burst) };
  return { type: "delete", pods: podsToDelete(pods, related(), Math.min(excess, burst), now) };
}

function wanted({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/**
 * Returns the new status; undefined when nothing changes. `failure` is the reason why the last scaling
 * failed.
 */
export function planStatus(
  { replicaSet, pods, terminating, now }: Observed,
  failure: string | undefined,
): ReplicaSetStatus | undefined {
  const { spec, status, metadata } = replicaSet;
  const template = selectorOfLabels(spec.template.metadata.labels ?? {});
  const minReadySeconds = spec.minReadySeconds ?? 0;
  const conditions = conditionsAfter(replicaSet, pods.length, failure, now);
  const counted = present({
    replicas: pods.length,
    fullyLabeledReplicas: orAbsent(pods.filter((pod) => template.matches(pod.metadata.labels)).length),
    readyReplicas: orAbsent(pods.filter(isReady).length),
    availableReplicas: orAbsent(
      pods.filter((pod) => untilAvailableMs(pod, minReadySeconds, now) === 0).length,
    ),
    terminatingReplicas: terminating,
    observedGeneration: metadata.generation,
    conditions: conditions.length === 0 ? undefined : conditions,
  });
  return deepEqual(counted, status) ? undefined : counted;
}

/** A ReplicaFailure keeps its first message until scaling succeeds. */
function conditionsAfter(
  { spec, status }: ReplicaSet,
  count: number,
  failure: string | undefined,
  now: number,
): readonly ReplicaSetCondition[] {
  const present = status.conditions ?? [];
  const others = present.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < present.length) return present;
  const failed: ReplicaSetCondition = {
    type: "ReplicaFailure",
    status: "True",
    reason: count < (spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete",
    message: failure,
    lastTransitionTime: formatTime(now),
  };
  return [...others, failed];
}

/** Milliseconds until the next Pod becomes available by waiting alone; undefined when none will. */
export function untilNextAvailableMs({ replicaSet, pods, now }: Observed): number | undefined {
  const waits = pods
    .map((pod) => untilAvailableMs(pod, replicaSet.spec.minReadySeconds ?? 0, now) ?? 0)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
