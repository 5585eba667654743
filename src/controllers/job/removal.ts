import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { isReady, readySince } from "../pods/pod-state.ts";
import { isAssigned, phaseOf, restarts, sidecarRestarts } from "../replica-set/deletion-order.ts";
import { completionIndex, isIndexed } from "./pods.ts";

/**
 * Returns the active Pods to delete: at least `count`, and for an Indexed Job all Pods without a valid index and
 * all but one of each index (upstream `activePodsForRemoval`).
 */
export function podsToRemove(job: Job, active: readonly Pod[], count: number): readonly Pod[] {
  const superfluous = isIndexed(job) ? superfluousPods(active, job.spec.completions ?? 0) : [];
  const known = new Set(superfluous);
  const rest = active.filter((pod) => !known.has(pod)).toSorted(byDeletionOrder);
  return [...superfluous, ...rest.slice(0, Math.max(0, count - superfluous.length))];
}

function superfluousPods(active: readonly Pod[], completions: number): readonly Pod[] {
  const byIndex = Map.groupBy(active, (pod) => completionIndex(pod) ?? -1);
  return [...byIndex]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([index, pods]) =>
      index < 0 || index >= completions ? pods : pods.toSorted(byDeletionOrder).slice(0, -1),
    );
}

/** Negative when `a` is deleted first (upstream `ActivePods`). The first difference decides. */
function byDeletionOrder(a: Pod, b: Pod): number {
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    youngerFirst(readySince(a), readySince(b)) ||
    restarts(b) - restarts(a) ||
    sidecarRestarts(b) - sidecarRestarts(a) ||
    youngerFirst(createdAt(a), createdAt(b))
  );
}

/** An unknown time comes before all others. */
function youngerFirst(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return (b ?? Number.MAX_SAFE_INTEGER) - (a ?? Number.MAX_SAFE_INTEGER);
}

function createdAt({ metadata }: Pod): number | undefined {
  return metadata.creationTimestamp === undefined ? undefined : Date.parse(metadata.creationTimestamp);
}
