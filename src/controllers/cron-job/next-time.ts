import type { Schedule } from "../../api/batch/cron-job/schedule.ts";
import type { TimeZone } from "./time-zone.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const nanosecondsInMs = 1_000_000n;

type Fields = Exclude<Schedule, { readonly every: bigint }>;

/** Returns the first scheduled time after `time`; undefined when there is none within five years (robfig/cron). */
export function nextTime(schedule: Schedule, zone: TimeZone, time: number): number | undefined {
  if (!("every" in schedule)) return nextByFields(schedule, zone, time);
  const delay = Math.max(second, Number(schedule.every / nanosecondsInMs));
  return floor(time + delay - (delay % second), second);
}

const floor = (time: number, unit: number) => Math.floor(time / unit) * unit;

/**
 * Advances the month, then the day, the hour and the minute until each matches. After a field wraps round, the
 * fields above it are looked at again. Hours and minutes advance in real time, so that a change of the zone's
 * offset neither repeats nor skips a schedule of each hour.
 */
function nextByFields(fields: Fields, zone: TimeZone, time: number): number | undefined {
  let at = floor(time, second) + second;
  const local = () => new Date(zone.toLocal(at));
  const lastYear = local().getUTCFullYear() + 5;
  for (;;) {
    const now = local();
    const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
    if (year > lastYear) return undefined;
    if (!fields.month.values.has(month + 1)) at = startOfDay(zone, Date.UTC(year, month + 1));
    else if (!matchesDay(fields, now)) at = startOfDay(zone, Date.UTC(year, month, day + 1));
    else if (!fields.hour.values.has(now.getUTCHours())) at = floorLocal(zone, at, hour) + hour;
    else if (!fields.minute.values.has(now.getUTCMinutes())) at = floor(at, minute) + minute;
    else if (now.getUTCSeconds() !== 0) at = floor(at, minute) + minute;
    else return at;
  }
}

/** Returns the start of an hour in local time. */
function floorLocal(zone: TimeZone, at: number, unit: number): number {
  const local = zone.toLocal(at);
  return at - (local - floor(local, unit));
}

/** Returns the start of a local day, which is not midnight when the zone's offset changes at midnight. */
function startOfDay(zone: TimeZone, day: number): number {
  const at = zone.fromLocal(day);
  const hours = new Date(zone.toLocal(at)).getUTCHours();
  // A result on the evening before would be looked at again without end.
  return hours > 12 ? at + (24 - hours) * hour : at;
}

/** Both days must match when one of them is `*`; else one of them. */
function matchesDay({ dayOfMonth, dayOfWeek }: Fields, local: Date): boolean {
  const inMonth = dayOfMonth.values.has(local.getUTCDate());
  const inWeek = dayOfWeek.values.has(local.getUTCDay());
  return dayOfMonth.any || dayOfWeek.any ? inMonth && inWeek : inMonth || inWeek;
}
