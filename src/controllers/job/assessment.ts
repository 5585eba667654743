import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { isActive } from "../pods/pod-state.ts";
import { type Backoff, nextBackoff } from "./backoff.ts";
import { earlierVerdict, failure, hasTooManyRestarts, policyFailure, type Verdict } from "./conditions.ts";
import { countOf, type Indexes, mergeIndexes } from "./indexes.ts";
import { failedIndexes, failedPodsToReplace, succeededIndexes } from "./per-index.ts";
import { failureOutcome } from "./pod-failure-policy.ts";
import { isCountable, isFailed, isIndexed, isSuspended, isTracked } from "./pods.ts";
import { metSuccessRule } from "./success-policy.ts";

export interface Observed {
  readonly job: Job;
  /** All Pods of the Job. */
  readonly pods: readonly Pod[];
  readonly backoff: Backoff;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A Job's progress, with the Pods that finished since the last reconciliation. */
export interface Assessment extends Observed {
  readonly active: readonly Pod[];
  /** Uncounted Pods and indexes included. */
  readonly succeeded: number;
  /** Pods whose failure the Pod failure policy ignores are left out. */
  readonly failed: number;
  /** The record after the Pods that finished newly. */
  readonly backoff: Backoff;
  readonly startTime: string | undefined;
  /** Only for an Indexed Job. */
  readonly succeededIndexes: Indexes | undefined;
  /** Only with `backoffLimitPerIndex`. */
  readonly failedIndexes: Indexes | undefined;
  /** The Pods that stay until their index has a new Pod; only with `backoffLimitPerIndex`. */
  readonly toReplace: ReadonlyMap<number, Pod>;
  readonly verdict: Verdict | undefined;
}

/** Assesses a Job that is not finished. The first verdict that applies stands. */
export function assess(observed: Observed): Assessment {
  const { job, pods, now } = observed;
  const active = pods.filter(isActive);
  const { uncountedTerminatedPods: uncounted = {}, succeeded = 0, failed = 0 } = job.status;
  const fresh = pods.filter((pod) => isTracked(pod) && isCountable(pod, job));
  const newSucceeded = fresh.filter(
    (pod) => pod.status.phase === "Succeeded" && !has(uncounted.succeeded, pod),
  );
  const newFailed = fresh.filter((pod) => isFailed(pod, job) && !has(uncounted.failed, pod));
  const counted = newFailed.filter((pod) => failureOutcome(job, pod).counts);
  const indexes = assessIndexes(job, pods, active);
  const startTime = job.status.startTime ?? (isSuspended(job) ? undefined : formatTime(now));
  const totals = {
    succeeded:
      indexes.succeededIndexes === undefined
        ? succeeded + newSucceeded.length + (uncounted.succeeded ?? []).length
        : countOf(indexes.succeededIndexes),
    failed: failed + counted.length + (uncounted.failed ?? []).length,
  };
  return {
    ...observed,
    ...totals,
    ...indexes,
    active,
    backoff: nextBackoff(observed.backoff, newSucceeded, newFailed),
    startTime,
    verdict:
      earlierVerdict(job) ??
      policyFailure(job, pods) ??
      limitFailure(job, pods, totals.failed, startTime, now) ??
      indexFailure(job, indexes) ??
      successByPolicy(job, indexes),
  };
}

const has = (uids: readonly string[] | undefined, { metadata }: Pod) =>
  uids?.includes(metadata.uid ?? "") ?? false;

type IndexAssessment = Pick<Assessment, "succeededIndexes" | "failedIndexes" | "toReplace">;

function assessIndexes(job: Job, pods: readonly Pod[], active: readonly Pod[]): IndexAssessment {
  const none = { succeededIndexes: undefined, failedIndexes: undefined, toReplace: new Map<number, Pod>() };
  if (!isIndexed(job)) return none;
  const succeeded = succeededIndexes(job, pods);
  if (job.spec.backoffLimitPerIndex === undefined) return { ...none, succeededIndexes: succeeded };
  const failed = failedIndexes(job, pods);
  const toReplace = failedPodsToReplace(job, pods, active, mergeIndexes(succeeded, failed));
  return { succeededIndexes: succeeded, failedIndexes: failed, toReplace };
}

function limitFailure(
  job: Job,
  pods: readonly Pod[],
  failed: number,
  startTime: string | undefined,
  now: number,
): Verdict | undefined {
  if (failed > (job.spec.backoffLimit ?? 0) || hasTooManyRestarts(job, pods)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (untilDeadlineMs(job, startTime, now) === 0) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  return undefined;
}

/** Milliseconds until `activeDeadlineSeconds` are over; undefined without a deadline. */
export function untilDeadlineMs(job: Job, startTime: string | undefined, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Math.max(0, Date.parse(startTime) + activeDeadlineSeconds * 1000 - now);
}

function indexFailure(
  { spec }: Job,
  { succeededIndexes = [], failedIndexes }: IndexAssessment,
): Verdict | undefined {
  if (failedIndexes === undefined) return undefined;
  const failed = countOf(failedIndexes);
  if (spec.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message);
  }
  if (failed === 0 || failed + countOf(succeededIndexes) < (spec.completions ?? 0)) return undefined;
  return failure("FailedIndexes", "Job has failed indexes");
}

function successByPolicy(job: Job, { succeededIndexes = [] }: IndexAssessment): Verdict | undefined {
  const message = metSuccessRule(job, succeededIndexes);
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}
