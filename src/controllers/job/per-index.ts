import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { firstFree, hasIndex, type Indexes, mergeIndexes, parseIndexes, withIndexes } from "./indexes.ts";
import { failureOutcome } from "./pod-failure-policy.ts";
import { completionIndex, finishedAt, isFailed, isTracked, replacesOnlyFailed, validIndex } from "./pods.ts";

export const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailuresAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** The failed Pods of an index. */
export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

/** Returns the succeeded indexes, those of Pods that are not counted yet included. */
export function succeededIndexes(job: Job, pods: readonly Pod[]): Indexes {
  const done = pods.filter((pod) => isTracked(pod) && pod.status.phase === "Succeeded");
  return withIndexes(
    parseIndexes(job.status.completedIndexes, job.spec.completions ?? 0),
    indexesOf(done, job),
  );
}

/** Returns the indexes that have used up their retries. */
export function failedIndexes(job: Job, pods: readonly Pod[]): Indexes {
  const failed = pods.filter((pod) => isTracked(pod) && failsIndex(pod, job));
  return withIndexes(
    parseIndexes(job.status.failedIndexes, job.spec.completions ?? 0),
    indexesOf(failed, job),
  );
}

function indexesOf(pods: readonly Pod[], job: Job): readonly number[] {
  return pods.map((pod) => validIndex(pod, job)).filter((index) => index !== undefined);
}

function failsIndex(pod: Pod, job: Job): boolean {
  if (!isFailed(pod, job)) return false;
  const { action, counts } = failureOutcome(job, pod);
  if (action === "FailIndex") return true;
  return counts && failuresBefore(pod).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

/** Returns the failures of the Pod's index before this Pod. */
export function failuresBefore({ metadata: { annotations = {} } }: Pod): IndexFailures {
  return {
    counted: parseCount(annotations[failuresAnnotation]),
    ignored: parseCount(annotations[ignoredFailuresAnnotation]),
  };
}

function parseCount(text = ""): number {
  const count = /^\+?\d+$/.test(text) ? Number(text) : 0;
  return count < 2 ** 31 ? count : 0;
}

/** Returns the failures before a Pod that replaces `failed`. */
export function failuresAfter(failed: Pod | undefined, job: Job): IndexFailures {
  if (failed === undefined) return { counted: 0, ignored: 0 };
  const { counted, ignored } = failuresBefore(failed);
  const { counts } = failureOutcome(job, failed);
  return counts ? { counted: counted + 1, ignored } : { counted, ignored: ignored + 1 };
}

/**
 * Returns the last failed Pod of each index that waits for a replacement. The Pod stays until then, because
 * its annotations hold the number of failures.
 */
export function failedPodsToReplace(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  finished: Indexes,
): ReadonlyMap<number, Pod> {
  const running = new Set(active.map(completionIndex));
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = validIndex(pod, job);
    if (index === undefined || !isTracked(pod) || !isFailed(pod, job)) continue;
    if (hasIndex(finished, index) || running.has(index)) continue;
    const other = last.get(index);
    if (other === undefined || isLater(pod, other)) last.set(index, pod);
  }
  return last;
}

function isLater(pod: Pod, other: Pod): boolean {
  return allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other);
}

/** Returns the number of failures before the Pod, ignored ones included. */
export function allFailures(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

/** Returns the first `count` indexes without a Pod and without a result. */
export function pendingIndexes(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  finished: Indexes,
  count: number,
): readonly number[] {
  const present = replacesOnlyFailed(job) ? [...active, ...pods.filter(isTerminating)] : active;
  const taken = present.map(completionIndex).filter((index) => index !== undefined);
  const unavailable = mergeIndexes(finished, withIndexes([], taken));
  return firstFree(unavailable, count, job.spec.completions ?? 0);
}
