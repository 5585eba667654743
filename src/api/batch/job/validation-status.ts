import { duplicate, type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { immutableMessage } from "../../../meta/validation/immutable.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { wrong } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { hasCondition, isFinished } from "./conditions.ts";
import { commonIndex } from "./indexes.ts";
import type { Job, JobStatus, UncountedTerminatedPods } from "./schema.ts";
import { validateIndexes } from "./validation-policies.ts";

const path = root.child("status");
const conditionsPath = path.child("conditions");

/**
 * Validates a Job's new status. A rule about several fields only applies when one of these fields changed,
 * because a change of the spec may have violated it and the controller must be able to repair one field after
 * the other.
 */
export function* validateJobStatus(job: Job, old: Job): Generator<FieldError> {
  yield* validateCounts(job.status);
  yield* validateCompletion(job.status, old.status);
  yield* validateReasons(job.status, old.status);
  yield* validateEnd(job, old);
  yield* validateStatusIndexes(job, old);
  yield* validatePods(job.status, old.status);
  yield* validateSuccess(job);
  yield* validateProgress(job, old);
}

type Fact = keyof JobStatus | ((status: JobStatus) => boolean);

const isComplete = (status: JobStatus) => hasCondition(status, "Complete");
const isFailed = (status: JobStatus) => hasCondition(status, "Failed");
const willFail = (status: JobStatus) => hasCondition(status, "FailureTarget");
const willSucceed = (status: JobStatus) => hasCondition(status, "SuccessCriteriaMet");

const valueOf = (status: JobStatus, fact: Fact) => (typeof fact === "string" ? status[fact] : fact(status));

const changed = (status: JobStatus, old: JobStatus, ...facts: readonly Fact[]): boolean =>
  facts.some((fact) => !deepEqual(valueOf(status, fact), valueOf(old, fact)));

function* validateCounts(status: JobStatus): Generator<FieldError> {
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    yield* validateNonNegative(status[name], path.child(name));
  }
  yield* validateUncounted(status.uncountedTerminatedPods ?? {});
}

function* validateUncounted(pods: UncountedTerminatedPods): Generator<FieldError> {
  const seen = new Set<string>();
  for (const name of ["succeeded", "failed"] as const) {
    for (const [i, uid] of (pods[name] ?? []).entries()) {
      const place = path.child("uncountedTerminatedPods", name).index(i);
      if (uid === "") yield invalid(place, uid, "must not be empty");
      else if (seen.has(uid)) yield duplicate(place, uid);
      seen.add(uid);
    }
  }
}

function* validateCompletion(status: JobStatus, old: JobStatus): Generator<FieldError> {
  const { startTime, completionTime } = status;
  const place = path.child("completionTime");
  if (isComplete(status) && isFailed(status) && changed(status, old, isComplete, isFailed)) {
    yield wrong(conditionsPath, "cannot set Complete=True and Failed=true conditions");
  }
  if (isComplete(status) && willFail(status) && changed(status, old, isComplete, willFail)) {
    yield wrong(conditionsPath, "cannot set Complete=True and FailureTarget=true conditions");
  }
  if (changed(status, old, isComplete, "completionTime")) {
    if (completionTime !== undefined && !isComplete(status)) {
      const why = "cannot set completionTime when there is no Complete=True condition";
      yield invalid(place, completionTime, why);
    }
    if (completionTime === undefined && isComplete(status)) {
      yield requiredValue(place, "completionTime is required for Complete jobs");
    }
  }
  const isTooEarly = startTime !== undefined && completionTime !== undefined && completionTime < startTime;
  if (isTooEarly && changed(status, old, "startTime", "completionTime")) {
    yield invalid(place, completionTime, "must be equal to or after `startTime`");
  }
}

/** Requires the conditions that announce success or failure before the Pods have terminated. */
function* validateReasons(status: JobStatus, old: JobStatus): Generator<FieldError> {
  if (isFailed(status) && !willFail(status) && changed(status, old, isFailed, "failedIndexes")) {
    yield wrong(conditionsPath, "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (isComplete(status) && !willSucceed(status) && changed(status, old, isComplete, willSucceed)) {
    yield wrong(
      conditionsPath,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
  }
}

function* validateEnd({ spec, status }: Job, { status: old }: Job): Generator<FieldError> {
  if (!isFinished(status)) return;
  const { active = 0, startTime, uncountedTerminatedPods } = status;
  if (active > 0 && changed(status, old, isFinished, "active")) {
    yield invalid(path.child("active"), active, "active>0 is invalid for finished job");
  }
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (startTime === undefined && !neverStarts && changed(status, old, isFinished, "startTime")) {
    yield requiredValue(path.child("startTime"), "startTime is required for finished job");
  }
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  const isUncounted = succeeded.length + failed.length > 0;
  if (isUncounted && changed(status, old, isFinished, "uncountedTerminatedPods")) {
    const place = path.child("uncountedTerminatedPods");
    yield invalid(place, uncountedTerminatedPods, "must be empty for finished job");
  }
}

function* validateStatusIndexes({ spec, status }: Job, { status: old }: Job): Generator<FieldError> {
  const { completedIndexes: completed = "", failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex } = spec;
  const isCompletedChanged = completed !== (old.completedIndexes ?? "");
  const isFailedChanged = failed !== old.failedIndexes;
  if (isCompletedChanged && completions !== undefined) {
    yield* validateIndexes(completed, completions, "completedIndexes", path);
  }
  if (isFailedChanged && completions !== undefined && backoffLimitPerIndex !== undefined) {
    yield* validateIndexes(failed ?? "", completions, "failedIndexes", path);
  }
  if (isCompletedChanged && completed !== "" && spec.completionMode !== "Indexed") {
    const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
    yield invalid(path.child("completedIndexes"), completed, why);
  }
  if (isFailedChanged && failed !== undefined && backoffLimitPerIndex === undefined) {
    const why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    yield invalid(path.child("failedIndexes"), failed, why);
  }
  if ((isCompletedChanged || isFailedChanged) && completions !== undefined && failed !== undefined) {
    const index = commonIndex(completed, failed, completions);
    if (index !== undefined) {
      const why = `failedIndexes and completedIndexes overlap at index: ${index}`;
      yield invalid(path.child("failedIndexes"), failed, why);
    }
  }
}

function* validatePods(status: JobStatus, old: JobStatus): Generator<FieldError> {
  const { terminating = 0, ready = 0, active = 0 } = status;
  if (terminating > 0 && isFinished(status) && changed(status, old, isFinished, "terminating")) {
    yield invalid(path.child("terminating"), terminating, "terminating>0 is invalid for finished job");
  }
  if (ready > active && changed(status, old, "ready", "active")) {
    yield invalid(path.child("ready"), ready, "cannot set more ready pods than active");
  }
}

function* validateSuccess({ spec, status }: Job): Generator<FieldError> {
  if (willSucceed(status) && isFailed(status)) {
    yield wrong(conditionsPath, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (willSucceed(status) && willFail(status)) {
    yield wrong(conditionsPath, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (spec.successPolicy !== undefined && !willSucceed(status) && isComplete(status)) {
    yield wrong(
      conditionsPath,
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    );
  }
}

/** Forbids removing terminal conditions and decreasing counts. */
function* validateProgress({ spec, status }: Job, { status: old }: Job): Generator<FieldError> {
  for (const type of ["Failed", "Complete", "FailureTarget"] as const) {
    if (hasCondition(old, type) && !hasCondition(status, type)) {
      yield wrong(conditionsPath, `cannot disable the terminal ${type}=True condition`);
    }
  }
  const { failed = 0, succeeded = 0, startTime, completionTime } = status;
  if (failed < (old.failed ?? 0)) {
    yield invalid(path.child("failed"), failed, "cannot decrease the failed counter");
  }
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!mayShrink && succeeded < (old.succeeded ?? 0)) {
    yield invalid(path.child("succeeded"), succeeded, "cannot decrease the succeeded counter");
  }
  const before = old.completionTime;
  if (completionTime !== undefined && before !== undefined && completionTime !== before) {
    yield invalid(path.child("completionTime"), completionTime, immutableMessage);
  }
  const isResumed = hasCondition(old, "Suspended") && hasCondition(status, "Suspended", "False");
  const mayRestart = isResumed || spec.suspend === true || old.startTime === undefined;
  if (!mayRestart && startTime !== old.startTime) {
    const why = "field is immutable for unsuspended job once set";
    yield invalid(path.child("startTime"), startTime, why);
  }
  if (willSucceed(old) && !willSucceed(status)) {
    yield wrong(conditionsPath, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (isComplete(old) && !willSucceed(old) && willSucceed(status)) {
    const why = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    yield wrong(conditionsPath, why);
  }
}
