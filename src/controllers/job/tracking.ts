import type { Job, JobCondition, JobStatus } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { present } from "../../util/present.ts";
import { orAbsent } from "../or-absent.ts";
import type { Assessment } from "./assessment.ts";
import { completionsReached, ensureCondition, type Verdict } from "./conditions.ts";
import { formatIndexes, hasIndex, parseIndexes, withIndexes } from "./indexes.ts";
import { failureOutcome } from "./pod-failure-policy.ts";
import {
  completionIndex,
  isCountable,
  isFailed,
  isIndexed,
  isSuspended,
  isTracked,
  validIndex,
} from "./pods.ts";
import type { Counts } from "./plan.ts";

/** The greatest number of Pods in `uncountedTerminatedPods`. */
const maxUncounted = 500;

export interface JobEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The first step of the counting: the status is written, then the Pods lose their finalizer. */
export interface Tracking {
  /** The status, in which the Pods to release are uncounted. */
  readonly status: JobStatus;
  readonly release: readonly Pod[];
  /** The UIDs of the Pods with the finalizer. */
  readonly tracked: ReadonlySet<string>;
  /** Complete or Failed, if all Pods have been released and have terminated. */
  readonly final: Verdict | undefined;
  readonly events: readonly JobEvent[];
}

/** Plans the status after the action on Pods (upstream `trackJobStatusAndRemoveFinalizers`). */
export function planTracking(assessment: Assessment, counts: Counts): Tracking {
  const { job, pods, startTime, now } = assessment;
  const verdict = verdictAfter(assessment, counts);
  const isManaged = assessment.verdict === undefined && job.metadata.deletionTimestamp === undefined;
  const suspension = isManaged && verdict === undefined ? planSuspension(job, startTime, now) : undefined;
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""));
  const base = withoutReleased(job.status, tracked);
  const counting = countPods(assessment, verdict, base);
  const shown = shownVerdict(verdict);
  const conditions = suspension?.conditions ?? job.status.conditions ?? [];
  const status = present({
    ...base,
    ...counting.status,
    startTime: suspension === undefined ? startTime : suspension.startTime,
    active: orAbsent(counts.active),
    ready: counts.ready,
    terminating: counts.terminating,
    conditions: orNone(
      shown === undefined ? conditions : ensureCondition(conditions, { ...shown, status: "True" }, now),
    ),
  });
  return {
    status,
    release: counting.release,
    tracked,
    final: counting.isLimited || counts.terminating > 0 ? undefined : finalVerdict(verdict),
    events: suspension?.events ?? [],
  };
}

const orNone = <T>(items: readonly T[]) => (items.length === 0 ? undefined : items);

/** A Job ends once its active Pods are deleted. It completes once it has enough successes and no active Pods. */
function verdictAfter(
  { job, succeeded, verdict }: Assessment,
  { active, hasEnded }: Counts,
): Verdict | undefined {
  if (verdict !== undefined) return hasEnded ? verdict : undefined;
  return succeeded >= (job.spec.completions ?? 1) && active === 0 ? completionsReached : undefined;
}

/** Failed is not shown before all Pods have terminated. */
function shownVerdict(verdict: Verdict | undefined): Verdict | undefined {
  return verdict?.type === "Failed" ? undefined : verdict;
}

function finalVerdict(verdict: Verdict | undefined): Verdict | undefined {
  if (verdict === undefined) return undefined;
  return { ...verdict, type: verdict.type === "SuccessCriteriaMet" ? "Complete" : "Failed" };
}

interface Suspension {
  readonly conditions: readonly JobCondition[];
  readonly startTime: string | undefined;
  readonly events: readonly JobEvent[];
}

/** A resumed Job starts anew, so that its deadline does not count the time in which it was suspended. */
function planSuspension(job: Job, startTime: string | undefined, now: number): Suspension {
  const old = job.status.conditions ?? [];
  const suspended = isSuspended(job);
  const message = suspended ? "Job suspended" : "Job resumed";
  const condition = { type: "Suspended", reason: suspended ? "JobSuspended" : "JobResumed", message };
  const conditions = ensureCondition(old, { ...condition, status: suspended ? "True" : "False" }, now);
  if (conditions === old) return { conditions, startTime, events: [] };
  return {
    conditions,
    startTime: suspended ? undefined : formatTime(now),
    events: [{ type: "Normal", reason: suspended ? "Suspended" : "Resumed", message }],
  };
}

interface Counting {
  readonly status: Pick<
    JobStatus,
    "uncountedTerminatedPods" | "succeeded" | "completedIndexes" | "failedIndexes"
  >;
  readonly release: readonly Pod[];
  /** True when further Pods wait for the next reconciliation. */
  readonly isLimited: boolean;
}

/** An Indexed Job counts succeeded indexes; all other Pods are counted by UID. */
function countPods(assessment: Assessment, verdict: Verdict | undefined, base: JobStatus): Counting {
  const { job, pods } = assessment;
  const indexed = isIndexed(job);
  const previous = parseIndexes(job.status.completedIndexes, job.spec.completions ?? 0);
  const succeeded = [...(base.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(base.uncountedTerminatedPods?.failed ?? [])];
  const newIndexes: number[] = [];
  const release: Pod[] = [];
  let isLimited = false;
  for (const pod of indexed ? pods.toSorted(byIndex) : pods) {
    if (!isTracked(pod) || !isReleasable(pod, assessment, verdict)) continue;
    release.push(pod);
    const uid = pod.metadata.uid ?? "";
    if (failed.includes(uid)) {
      // Its failure is being counted.
    } else if (pod.status.phase === "Succeeded") {
      const index = validIndex(pod, job);
      if (!indexed && !succeeded.includes(uid)) succeeded.push(uid);
      else if (indexed && index !== undefined && !hasIndex(previous, index)) newIndexes.push(index);
    } else if (countsAsFailed(pod, job, verdict)) failed.push(uid);
    isLimited = newIndexes.length + succeeded.length + failed.length >= maxUncounted;
    if (isLimited) break;
  }
  const uncountedTerminatedPods = present({ succeeded: orNone(succeeded), failed: orNone(failed) });
  const status = { uncountedTerminatedPods };
  return {
    release,
    isLimited,
    status: indexed ? { ...status, ...indexStatus(assessment, newIndexes) } : status,
  };
}

function indexStatus({ succeededIndexes = [], failedIndexes }: Assessment, newIndexes: readonly number[]) {
  const all = withIndexes(succeededIndexes, newIndexes);
  return {
    succeeded: orAbsent(all.reduce((sum, { first, last }) => sum + last - first + 1, 0)),
    completedIndexes: formatIndexes(all) || undefined,
    failedIndexes: failedIndexes === undefined ? undefined : formatIndexes(failedIndexes),
  };
}

const byIndex = (a: Pod, b: Pod) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1);

/** Reports whether the finalizer can be removed. The Pod that an index replaces keeps its finalizer until then. */
function isReleasable(pod: Pod, { job, toReplace }: Assessment, verdict: Verdict | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || verdict !== undefined) return true;
  if (pod.status.phase === "Succeeded") return true;
  if (!isFailed(pod, job)) return false;
  const index = completionIndex(pod);
  return index === undefined || toReplace.get(index) !== pod;
}

/** Once a Job fails, its Pods that have not terminated count as failed. */
function countsAsFailed(pod: Pod, job: Job, verdict: Verdict | undefined): boolean {
  const failsWithJob = verdict !== undefined && verdict.type !== "SuccessCriteriaMet";
  return (isFailed(pod, job) || failsWithJob) && isCountable(pod, job) && failureOutcome(job, pod).counts;
}

/** Moves the uncounted Pods that have no finalizer any more into the counters. */
export function withoutReleased(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  return present({
    ...status,
    uncountedTerminatedPods: present({ succeeded: orNone(left.succeeded), failed: orNone(left.failed) }),
    succeeded: orAbsent((status.succeeded ?? 0) + succeeded.length - left.succeeded.length),
    failed: orAbsent((status.failed ?? 0) + failed.length - left.failed.length),
  });
}

/** The second step of the counting. */
export interface End {
  readonly status: JobStatus;
  readonly events: readonly JobEvent[];
}

/**
 * Plans the status after Pods were released: they are counted, and the Job finishes when none is uncounted.
 * `status` is the status that the first step wrote, `tracked` the Pods that still have the finalizer.
 */
export function planEnd(
  { job, now }: Assessment,
  { final }: Tracking,
  status: JobStatus,
  tracked: ReadonlySet<string>,
): End {
  const counted = withoutReleased(status, tracked);
  const { succeeded = [], failed = [] } = counted.uncountedTerminatedPods ?? {};
  if (final === undefined || succeeded.length + failed.length > 0) return { status: counted, events: [] };
  const conditions = ensureCondition(counted.conditions ?? [], { ...final, status: "True" }, now);
  if (final.type === "Failed") {
    const { reason, message } = final;
    return { status: { ...counted, conditions }, events: [{ type: "Warning", reason, message }] };
  }
  const finished = { ...counted, conditions, completionTime: formatTime(now) };
  return { status: finished, events: completionEvents(job, finished) };
}

function completionEvents({ spec }: Job, { succeeded = 0 }: JobStatus): readonly JobEvent[] {
  const completed: JobEvent = { type: "Normal", reason: "Completed", message: "Job completed" };
  if (spec.completions === undefined || succeeded <= spec.completions) return [completed];
  const message = "Too many succeeded pods running after completion count reached";
  return [{ type: "Warning", reason: "TooManySucceededPods", message }, completed];
}
