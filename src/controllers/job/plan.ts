import type { Pod } from "../../api/core/pod/schema.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import type { Assessment } from "./assessment.ts";
import { type Backoff, remainingMs } from "./backoff.ts";
import { mergeIndexes } from "./indexes.ts";
import { allFailures, failuresAfter, pendingIndexes } from "./per-index.ts";
import type { NewPod } from "./pod-template.ts";
import { finishedAt, isIndexed, isSuspended, replacesOnlyFailed } from "./pods.ts";
import { podsToRemove } from "./removal.ts";

/** The greatest number of Pods that one reconciliation creates or deletes. */
export const burst = 500;

/** Upstream `SyncJobBatchPeriod`: the shortest wait for a back-off. */
const batchMs = 1000;

export type PodAction =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly pods: readonly NewPod[] }
  /** Deletes Pods that are not counted: their finalizer is removed first. */
  | { readonly type: "delete"; readonly pods: readonly Pod[] }
  /** Deletes the active Pods of a Job that ends. They keep their finalizer until they are counted. */
  | { readonly type: "end"; readonly pods: readonly Pod[] }
  /** Creates nothing until the back-off is over. */
  | { readonly type: "wait"; readonly ms: number };

/** Plans the creates or deletes of Pods (upstream `manageJob`). One plan never has both. */
export function planPods(assessment: Assessment): PodAction {
  const { job, active, verdict } = assessment;
  if (verdict !== undefined) return { type: "end", pods: active };
  if (job.metadata.deletionTimestamp !== undefined) return { type: "none" };
  if (isSuspended(job)) return deletion(podsToRemove(job, active, active.length));
  const wanted = wantedActive(assessment);
  const excess = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, burst);
  return excess.length > 0 ? deletion(excess) : planCreation(assessment, wanted);
}

function deletion(pods: readonly Pod[]): PodAction {
  return pods.length === 0 ? { type: "none" } : { type: "delete", pods };
}

/** Returns the number of Pods that should be active. A work queue starts no Pods after its first success. */
function wantedActive({ job, active, succeeded }: Assessment): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function planCreation(assessment: Assessment, wanted: number): PodAction {
  const { job, pods, active, backoff, now } = assessment;
  const awaited = replacesOnlyFailed(job) ? pods.filter(isTerminating).length : 0;
  const missing = Math.min(burst, wanted - awaited - active.length);
  if (missing <= 0) return { type: "none" };
  if (job.spec.backoffLimitPerIndex !== undefined) return planReplacements(assessment, missing);
  const ms = remainingMs(backoff, now);
  if (ms > 0) return { type: "wait", ms: Math.max(batchMs, ms) };
  if (!isIndexed(job)) return creation(Array.from({ length: missing }, () => ({})));
  return creation(pending(assessment, missing).map((index) => ({ index })));
}

/** Plans Pods for indexes that each have a back-off of their own. */
function planReplacements(assessment: Assessment, missing: number): PodAction {
  const { job, toReplace, now } = assessment;
  const waits = pending(assessment, missing).map((index) => {
    const failed = toReplace.get(index);
    return { index, failed, ms: failed === undefined ? 0 : remainingMs(backoffOf(failed), now) };
  });
  const ready = waits.filter(({ ms }) => ms === 0);
  if (ready.length === 0 && waits.length > 0) {
    return { type: "wait", ms: Math.max(batchMs, Math.min(...waits.map(({ ms }) => ms))) };
  }
  return creation(ready.map(({ index, failed }) => ({ index, failures: failuresAfter(failed, job) })));
}

function creation(pods: readonly NewPod[]): PodAction {
  return pods.length === 0 ? { type: "none" } : { type: "create", pods };
}

function backoffOf(failed: Pod): Backoff {
  return { failures: allFailures(failed) + 1, lastFailure: finishedAt(failed) };
}

function pending(
  { job, pods, active, succeededIndexes = [], failedIndexes = [] }: Assessment,
  count: number,
): readonly number[] {
  return pendingIndexes(job, pods, active, mergeIndexes(succeededIndexes, failedIndexes), count);
}

/** The Pods after the action. */
export interface Counts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** False when a delete failed. */
  readonly hasEnded: boolean;
}

/** Counts the Pods after an action that created `created` Pods, or deleted the Pods in `deleted`. */
export function countAfter({ pods, active }: Assessment, created: number, deleted: readonly Pod[]): Counts {
  // Upstream shows no active Pods during a back-off, which its validation refuses when Pods are ready.
  return {
    active: active.length + created - deleted.length,
    ready: active.filter(isReady).length - deleted.filter(isReady).length,
    terminating: pods.filter(isTerminating).length + deleted.length,
    hasEnded: deleted.length === active.length,
  };
}
