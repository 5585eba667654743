import type { CronJob } from "../../api/batch/cron-job/schema.ts";

/** The times at which a CronJob should have started. */
export interface Missed {
  /** The last start, or the time from which starts count. */
  readonly earliest: number;
  /** The last time that was missed; undefined when there is none. */
  readonly last: number | undefined;
  /** An estimate. */
  readonly count: number;
}

/** Upstream `nextScheduleDelta`: an allowance for clocks that differ. */
const marginMs = 100;

/** Thrown when a valid schedule has no times, such as the 31st of February. */
export class EmptyScheduleError extends Error {
  override readonly name = "EmptyScheduleError";
}

type Next = (time: number) => number | undefined;

/** Finds the last missed start (upstream `mostRecentScheduleTime`). @throws EmptyScheduleError */
export function missedStarts(cronJob: CronJob, next: Next, now: number, withDeadline: boolean): Missed {
  const earliest = earliestStart(cronJob, now, withDeadline);
  const first = next(earliest);
  if (first !== undefined && now < first) return { earliest, last: undefined, count: 0 };
  const second = first === undefined ? undefined : next(first);
  if (second !== undefined && now < second) return { earliest, last: first, count: 0 };
  if (first === undefined || second === undefined) {
    throw new EmptyScheduleError("time difference between two schedules is less than 1 second");
  }
  const intervalMs = second - first;
  const count = Math.floor((now - first) / intervalMs) + 1;
  let last: number | undefined;
  // Intervals may differ, so this starts one interval before the estimate.
  let time = next(first + (count - 2) * intervalMs);
  for (; time !== undefined && time <= now; time = next(time)) last = time;
  return { earliest, last, count };
}

/** No start is made up for before the starting deadline. */
function earliestStart({ metadata, spec, status }: CronJob, now: number, withDeadline: boolean): number {
  const last = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp ?? "") || 0;
  const { startingDeadlineSeconds } = spec;
  if (!withDeadline || startingDeadlineSeconds === undefined) return last;
  return Math.max(last, now - startingDeadlineSeconds * 1000);
}

/** Milliseconds until the next start (upstream `nextScheduleTimeDuration`); undefined without one. */
export function untilNextMs(cronJob: CronJob, next: Next, now: number): number | undefined {
  const { earliest, last, count } = missedStarts(cronJob, next, now, false);
  const time = next(last ?? (count === 0 ? earliest : now));
  return time === undefined ? undefined : time + marginMs - now;
}
