import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { validateOneOf } from "../../../meta/validation/report.ts";
import { parseSchedule, ScheduleError } from "./schedule.ts";
import { validateTimeZone } from "./time-zone.ts";
import type { CronJob, CronJobSpec, JobTemplateSpec } from "./schema.ts";
import { validateJobSpec } from "../job/validation.ts";

const path = root.child("spec");

/** Leaves room for the scheduled time at the end of Job names. */
const maxNameLength = 52;

export function* validateCronJobCreate(cronJob: CronJob): Generator<FieldError> {
  yield* validateCronJob(cronJob, undefined);
  const name = cronJob.metadata.name ?? "";
  if (name.length > maxNameLength) {
    yield invalid(root.child("metadata", "name"), name, `must be no more than ${maxNameLength} characters`);
  }
}

/** Validates a CronJob. Tolerates some values of the old object that a new one may not have. */
export function* validateCronJob({ spec }: CronJob, old: CronJob | undefined): Generator<FieldError> {
  yield* validateSchedule(spec, old?.spec.schedule.includes("TZ") ?? false, path.child("schedule"));
  yield* validateNonNegative(spec.startingDeadlineSeconds, path.child("startingDeadlineSeconds"));
  if (spec.timeZone !== undefined && spec.timeZone !== old?.spec.timeZone) {
    yield* validateTimeZone(spec.timeZone, path.child("timeZone"));
  }
  const policies = ["Allow", "Forbid", "Replace"];
  yield* validateOneOf(spec.concurrencyPolicy, policies, path.child("concurrencyPolicy"));
  yield* validateJobTemplate(spec.jobTemplate, path.child("jobTemplate", "spec"));
  yield* validateNonNegative(spec.successfulJobsHistoryLimit, path.child("successfulJobsHistoryLimit"));
  yield* validateNonNegative(spec.failedJobsHistoryLimit, path.child("failedJobsHistoryLimit"));
}

function* validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  allowsZone: boolean,
  place: FieldPath,
): Generator<FieldError> {
  if (schedule === "") {
    yield requiredValue(place);
    return;
  }
  try {
    parseSchedule(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    yield invalid(place, schedule, error.message);
  }
  if (!schedule.includes("TZ")) return;
  if (!allowsZone) {
    yield invalid(place, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (timeZone !== undefined) {
    yield invalid(place, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

function* validateJobTemplate({ spec }: JobTemplateSpec, place: FieldPath): Generator<FieldError> {
  yield* validateJobSpec(spec, place);
  if (spec.selector !== undefined) {
    yield invalid(place.child("selector"), spec.selector, "`selector` will be auto-generated");
  }
  if (spec.manualSelector === true) {
    yield notSupported(place.child("manualSelector"), true, ["nil", "false"]);
  }
}
