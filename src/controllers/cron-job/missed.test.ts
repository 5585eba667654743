import { describe, expect, test } from "vitest";
import { parseSchedule } from "../../api/batch/cron-job/schedule.ts";
import { cronJobs } from "../../api/batch/cron-job/schema.ts";
import { build, template } from "../builders.suite.ts";
import { EmptyScheduleError, missedStarts, untilNextMs } from "./missed.ts";
import { nextTime } from "./next-time.ts";
import { timeZoneOf } from "./time-zone.ts";

// Upstream's cases by value: `TestMostRecentScheduleTime`, `TestNextScheduleTime` and
// `TestNextScheduleTimeDuration`.

/** A Thursday. */
const top = Date.UTC(2016, 4, 19, 10);
/** Reads `90:30`, the hours and minutes since the start, with optional seconds. */
function timeOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace("-", "").split(":").map(Number);
  const since = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return top + (text.startsWith("-") ? -since : since);
}
const at = (text: string) => new Date(timeOf(text)).toISOString().replace(".000Z", "Z");

interface Case {
  readonly schedule: string;
  readonly created: string;
  readonly last?: string | undefined;
  readonly deadline?: number | undefined;
}

function given({ schedule, created, last, deadline }: Case) {
  const cronJob = build(cronJobs, {
    metadata: { name: "work", creationTimestamp: at(created) },
    spec: {
      schedule,
      jobTemplate: { spec: { template } },
      ...(deadline === undefined ? {} : { startingDeadlineSeconds: deadline }),
    },
    status: last === undefined ? {} : { lastScheduleTime: at(last) },
  });
  const parsed = parseSchedule(schedule);
  return { cronJob, next: (time: number) => nextTime(parsed, timeZoneOf("UTC"), time) };
}

const hourly = "0 * * * *";
const often = "*/5 * * * *";
const office = "30 6-16/4 * * 1-5";
const noon = "30 10,11,12 * * 1-5";
const never = "59 23 31 2 *";

describe("the last missed start", () => {
  test.each<
    [
      schedule: string,
      created: string,
      last: string | undefined,
      now: string,
      want: string | undefined,
      count: "none" | "few" | "many",
      earliest: string,
    ]
  >([
    [hourly, "0:00", undefined, "0:00:30", undefined, "none", "0:00"],
    [hourly, "0:00", undefined, "1:01", "1:00", "none", "0:00"],
    [hourly, "0:00:10", undefined, "5:01", "5:00", "few", "0:00:10"],
    [hourly, "0:00", "0:00", "0:00:30", undefined, "none", "0:00"],
    [hourly, "-0:10", undefined, "-0:07", undefined, "none", "-0:10"],
    [hourly, "-0:10", undefined, "0:00:02", "0:00", "none", "-0:10"],
    [hourly, "-0:10", "0:00", "0:02", undefined, "none", "0:00"],
    [hourly, "-0:10", "0:00", "1:05", "1:00", "none", "0:00"],
    [hourly, "-2:00", "-1:00", "1:05", "1:00", "few", "-1:00"],
    [hourly, "-2:00", "-1:00", "241:00", "241:00", "many", "-1:00"],
    [often, "0:00", "0:30", "0:31", undefined, "none", "0:30"],
    [office, "0:00", "0:30", "24:31", "24:30", "few", "0:30"],
    [office, "0:00", "0:30", "96:31", "96:30", "few", "0:30"],
    [office, "0:00", undefined, "24:31", "24:30", "few", "0:00"],
    // The estimate supposes that all intervals are like the first.
    [noon, "0:00", "0:30", "30:30", undefined, "few", "0:30"],
    ["@every 1h", "-0:59", "0:01", "168:00", "167:01", "many", "0:01"],
  ])("%s of %s, last %s, at %s: %s", (schedule, created, last, now, want, count, earliest) => {
    const { cronJob, next } = given({ schedule, created, last });
    const found = missedStarts(cronJob, next, timeOf(now), false);
    expect({ ...found, count: found.count > 100 ? "many" : found.count > 0 ? "few" : "none" }).toEqual({
      earliest: timeOf(earliest),
      last: want === undefined ? undefined : timeOf(want),
      count,
    });
  });

  test.each<[withDeadline: boolean, now: string, earliest: string]>([
    [false, "0:31", "0:30"],
    [true, "0:31", "0:30"],
    [true, "0:32", "0:31"],
  ])("with a deadline (%s) of a minute, at %s: counts from %s", (withDeadline, now, earliest) => {
    const { cronJob, next } = given({ schedule: often, created: "0:00", last: "0:30", deadline: 60 });
    expect(missedStarts(cronJob, next, timeOf(now), withDeadline)).toEqual({
      earliest: timeOf(earliest),
      last: undefined,
      count: 0,
    });
  });

  test("a schedule without times is refused", () => {
    const { cronJob, next } = given({ schedule: never, created: "0:00:10" });
    expect(() => missedStarts(cronJob, next, timeOf("1:00"), false)).toThrow(EmptyScheduleError);
  });
});

describe("the time until the next start", () => {
  test.each<[schedule: string, last: string | undefined, now: string, until: string]>([
    [office, "0:30", "24:31", "3:59"],
    [noon, "0:30", "30:30", "66:00"],
    ["0 12 * * 4", "2:00", "457:30", "48:30"],
    ["0 12 * * 5", undefined, "6:00", "20:00"],
  ])("%s, last %s, at %s: in %s", (schedule, last, now, until) => {
    const { cronJob, next } = given({ schedule, created: "0:00", last });
    expect(untilNextMs(cronJob, next, timeOf(now))).toBe(timeOf(until) - top + 100);
  });
});
