import { parseSchedule, ScheduleError } from "../../api/batch/cron-job/schedule.ts";
import type { CronJob, CronJobStatus } from "../../api/batch/cron-job/schema.ts";
import { isKnownTimeZone } from "../../api/batch/cron-job/time-zone.ts";
import { hasCondition, isFinished } from "../../api/batch/job/conditions.ts";
import type { Job, jobs } from "../../api/batch/job/schema.ts";
import type { ObjectReference } from "../../api/core/v1/reference.ts";
import type { InputOf } from "../../meta/kind.ts";
import { ascending } from "../../util/compare.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { present } from "../../util/present.ts";
import { EmptyScheduleError, missedStarts, untilNextMs } from "./missed.ts";
import { nextTime } from "./next-time.ts";
import { formatIn, timeZoneOf } from "./time-zone.ts";

export interface CronJobEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Returns the finished Jobs beyond the history limits, the oldest first. */
export function planHistory({ spec }: CronJob, owned: readonly Job[]): readonly Job[] {
  const present = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const complete = present.filter(({ status }) => hasCondition(status, "Complete"));
  const failed = present.filter(
    ({ status }) => !hasCondition(status, "Complete") && hasCondition(status, "Failed"),
  );
  return [
    ...beyond(complete, spec.successfulJobsHistoryLimit),
    ...beyond(failed, spec.failedJobsHistoryLimit),
  ];
}

function beyond(finished: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined || finished.length <= limit) return [];
  return finished.toSorted(byStartTime).slice(0, finished.length - limit);
}

/** A Job that has not started comes last. */
function byStartTime(a: Job, b: Job): number {
  const timeOf = ({ status }: Job) => status.startTime ?? "9999";
  return ascending(timeOf(a), timeOf(b)) || ascending(a.metadata.name ?? "", b.metadata.name ?? "");
}

export function isActive({ status }: CronJob, uid: string | undefined): boolean {
  return status.active?.some((one) => one.uid === uid) ?? false;
}

/** Returns the unfinished Jobs that are not in the status. */
export function unknownJobs(cronJob: CronJob, owned: readonly Job[]): readonly Job[] {
  return owned.filter(({ metadata, status }) => !isFinished(status) && !isActive(cronJob, metadata.uid));
}

export function withoutActive(status: CronJobStatus, uids: ReadonlySet<string | undefined>): CronJobStatus {
  const active = (status.active ?? []).filter(({ uid }) => !uids.has(uid));
  return present({ ...status, active: active.length === 0 ? undefined : active });
}

/** Plans the status after Jobs have finished. */
export function planActive(
  cronJob: CronJob,
  owned: readonly Job[],
): { readonly status: CronJobStatus; readonly events: readonly CronJobEvent[] } {
  const finished = owned.filter(
    ({ metadata, status }) => isFinished(status) && isActive(cronJob, metadata.uid),
  );
  const times = owned
    .filter(({ status }) => hasCondition(status, "Complete"))
    .map(({ status }) => status.completionTime)
    .filter((time) => time !== undefined);
  const last = [...times, cronJob.status.lastSuccessfulTime ?? ""].toSorted(ascending).at(-1);
  const status = withoutActive(cronJob.status, new Set(finished.map(({ metadata }) => metadata.uid)));
  const events = finished.map(({ metadata, status: { conditions = [] } }): CronJobEvent => {
    const end = conditions.find((one) => /^(Complete|Failed)$/.test(one.type) && one.status === "True");
    const message = `Saw completed job: ${metadata.name}, condition: ${end?.type}`;
    return { type: "Normal", reason: "SawCompletedJob", message };
  });
  return { status: present({ ...status, lastSuccessfulTime: last || undefined }), events };
}

export interface Start {
  readonly job: InputOf<typeof jobs>;
  /** Milliseconds since the epoch. */
  readonly scheduledTime: number;
  /** The Jobs to delete first. */
  readonly replace: readonly ObjectReference[];
}

export interface StartPlan {
  readonly start?: Start;
  readonly events: readonly CronJobEvent[];
  /** Milliseconds until the next start. */
  readonly untilNextMs?: number | undefined;
}

const warning = (reason: string, message: string): CronJobEvent => ({ type: "Warning", reason, message });

/** Plans the start of a Job (upstream `syncCronJob`). */
export function planStart(cronJob: CronJob, now: number): StartPlan {
  const { metadata, spec } = cronJob;
  const { timeZone, schedule } = spec;
  if (metadata.deletionTimestamp !== undefined) return { events: [] };
  if (timeZone !== undefined && !isKnownTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    return { events: [warning("UnknownTimeZone", message)] };
  }
  if (spec.suspend === true) return { events: [] };
  const events = schedule.includes("TZ") ? [unsupportedSchedule(schedule)] : [];
  try {
    const next = timesOf(cronJob);
    const { last, count } = missedStarts(cronJob, next, now, true);
    if (last !== undefined && count > 100) events.push(tooManyMissed);
    const plan = last === undefined ? { events: [] } : planAt(cronJob, last);
    return { ...plan, events: [...events, ...plan.events], untilNextMs: untilNextMs(cronJob, next, now) };
  } catch (error) {
    if (error instanceof ScheduleError) {
      const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`;
      return { events: [...events, warning("UnparseableSchedule", message)] };
    }
    if (!(error instanceof EmptyScheduleError)) throw error;
    return {
      events: [...events, warning("InvalidSchedule", `invalid schedule: ${schedule} : ${error.message}`)],
    };
  }
}

/** Returns a function from a time to the next scheduled one. @throws ScheduleError */
function timesOf({ spec }: CronJob): (time: number) => number | undefined {
  const parsed = parseSchedule(spec.schedule);
  // Stored CronJobs may have the zone in the schedule, which then counts.
  const named = /^(?:CRON_)?TZ=(\S*)/.exec(spec.schedule)?.[1];
  const zone = timeZoneOf(named ?? spec.timeZone);
  return (time) => nextTime(parsed, zone, time);
}

const tooManyMissed = warning(
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
);

function unsupportedSchedule(schedule: string): CronJobEvent {
  const link = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
  const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see ${link} for more details`;
  return warning("UnsupportedSchedule", message);
}

/** Plans the start that was due at a time, which is within the starting deadline. */
function planAt(cronJob: CronJob, scheduledTime: number): StartPlan {
  const { metadata, spec, status } = cronJob;
  const active = status.active ?? [];
  const name = `${metadata.name}-${Math.floor(scheduledTime / 60_000)}`;
  const isStarted = active.some((one) => one.name === name && one.namespace === metadata.namespace);
  if (isStarted || Date.parse(status.lastScheduleTime ?? "") === scheduledTime) return { events: [] };
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { events: [{ type: "Normal", reason: "JobAlreadyActive", message }] };
  }
  const replace = spec.concurrencyPolicy === "Replace" ? active : [];
  return { events: [], start: { scheduledTime, replace, job: jobAt(cronJob, name, scheduledTime) } };
}

/** The name is the same for every try, so that no Job is created twice. */
function jobAt(cronJob: CronJob, name: string, scheduledTime: number): InputOf<typeof jobs> {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const scheduled = formatIn(timeZoneOf(cronJob.spec.timeZone), scheduledTime);
  const annotations = {
    ...metadata.annotations,
    "batch.kubernetes.io/cronjob-scheduled-timestamp": scheduled,
  };
  const { labels } = metadata;
  const { namespace } = cronJob.metadata;
  return {
    metadata: { name, namespace, labels, annotations, ownerReferences: [controllerRef(cronJob)] },
    spec,
  };
}
