import type { Job, JobCondition } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { findCondition, withReplaced } from "../../meta/conditions.ts";
import { formatTime } from "../../util/clock.ts";
import { failureOutcome } from "./pod-failure-policy.ts";
import { isFailed, isTemplateRetriedInPlace } from "./pods.ts";

/** A condition before it has times. */
export interface Verdict {
  /** FailureTarget and SuccessCriteriaMet come first; Failed and Complete follow once all Pods have terminated. */
  readonly type: "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet";
  readonly reason: string;
  readonly message: string;
}

export const completionsReached: Verdict = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

export const failure = (reason: string, message: string): Verdict => ({
  type: "FailureTarget",
  reason,
  message,
});

/** Returns the verdict of an earlier reconciliation. */
export function earlierVerdict({ status }: Job): Verdict | undefined {
  const success = findCondition(status.conditions, "SuccessCriteriaMet");
  if (success?.status === "True") return verdictOf("SuccessCriteriaMet", success);
  const target = findCondition(status.conditions, "FailureTarget");
  return target?.status === "True" ? verdictOf("Failed", target) : undefined;
}

function verdictOf(type: Verdict["type"], { reason = "", message = "" }: JobCondition): Verdict {
  return { type, reason, message };
}

/** Returns the failure by a rule of the Pod failure policy. */
export function policyFailure(job: Job, pods: readonly Pod[]): Verdict | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = isFailed(pod, job) ? failureOutcome(job, pod).message : undefined;
    if (message !== undefined) return failure("PodFailurePolicy", message);
  }
  return undefined;
}

/** Reports whether containers that restart in their Pods have used up the Job's retries. */
export function hasTooManyRestarts(job: Job, pods: readonly Pod[]): boolean {
  if (!isTemplateRetriedInPlace(job)) return false;
  const limit = job.spec.backoffLimit ?? 0;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== "Running" && status.phase !== "Pending") continue;
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    for (const { restartCount } of all) restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/**
 * Returns the conditions with one ensured (upstream `ensureJobConditionStatus`): unlike that of other kinds, its
 * transition time changes with its reason and its message, too, and a missing condition is not added as False. Returns
 * the same list when nothing changes.
 */
export function ensureCondition(
  conditions: readonly JobCondition[],
  { type, status, reason, message }: Required<Pick<JobCondition, "type" | "status" | "reason" | "message">>,
  now: number,
): readonly JobCondition[] {
  const old = findCondition(conditions, type);
  if (old === undefined && status === "False") return conditions;
  if (old?.status === status && old.reason === reason && old.message === message) return conditions;
  const time = formatTime(now);
  const next: JobCondition = { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
  return withReplaced(conditions, next);
}
