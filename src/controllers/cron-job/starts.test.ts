import { expect, test } from "vitest";
import { type CronJob, cronJobs } from "../../api/batch/cron-job/schema.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { build, template } from "../builders.suite.ts";
import { planStart } from "./plan.ts";

// Upstream's cases by value: `TestControllerV2SyncCronJob`.

const day = Date.UTC(2016, 4, 19);
/** Reads `9:59`, `9:59:11`, or `+7d 10:00` for a week later. */
function timeOf(text: string): number {
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] =
    /^(?:\+(\d+)d )?(\d+):(\d+)(?::([\d.]+))?$/.exec(text) ?? [];
  return day + (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
const at = (text: string) => new Date(timeOf(text)).toISOString().replace(".000Z", "Z");
const millis = (text: string) => Number((parseGoDuration(text) ?? 0n) / 1_000_000n);
/** The name of a Job that was scheduled at a time. */
const jobName = (text: string) => `work-${Math.floor(timeOf(text) / 60_000)}`;

interface Before {
  /** By default 8:59. */
  readonly created?: string;
  readonly last?: string;
  /** The scheduled time of the active Job. */
  readonly active?: string;
  readonly spec?: object;
}

function aCronJob(rule: object, { created = "8:59", last, active, spec = {} }: Before): CronJob {
  const reference = { apiVersion: "batch/v1", kind: "Job", namespace: "default", uid: "1234" };
  return build(cronJobs, {
    metadata: { name: "work", namespace: "default", uid: "uid-work", creationTimestamp: at(created) },
    spec: { jobTemplate: { spec: { template } }, ...rule, ...spec },
    status: {
      ...(last === undefined ? {} : { lastScheduleTime: at(last) }),
      ...(active === undefined ? {} : { active: [{ ...reference, name: jobName(active) }] }),
    },
  });
}

const policies = new Map([
  ["A", "Allow"],
  ["F", "Forbid"],
  ["R", "Replace"],
]);
const schedules = new Map([
  ["H", "0 * * * ?"],
  ["E", "@every 1h"],
  ["TZ", "TZ=UTC 0 * * * ?"],
  ["bad", "obvious error schedule"],
]);
const fresh: Before = { created: "9:59" };
const done: Before = { last: "9:01" };
const running: Before = { last: "9:01", active: "9:01" };
const earlier: Before = { last: "9:59", active: "9:59" };
const inZone: Before = { ...fresh, spec: { timeZone: "America/New_York" } };
const suspended = { spec: { suspend: true } };

/** The policies, the schedule, the history, the deadline in seconds, the time, the start, the wait, and the warnings. */
test.each<readonly [string, string, string, Before, number | undefined, string, string, string, number]>([
  ["never ran, no schedule", "AF", "bad", fresh, undefined, "9:59", "", "", 1],
  [
    "never ran, no time zone",
    "A",
    "H",
    { ...fresh, spec: { timeZone: "bad" } },
    undefined,
    "9:59",
    "",
    "",
    1,
  ],
  ["never ran, not time", "FR", "H", fresh, undefined, "9:59", "", "1m", 0],
  ["never ran, not time in zone", "A", "H", inZone, undefined, "9:59", "", "1m", 0],
  ["never ran, time", "AFR", "H", fresh, undefined, "10:01", "10:00", "59m", 0],
  ["never ran, time in zone", "A", "H", inZone, undefined, "10:01", "10:00", "59m", 0],
  ["never ran, time in both zones", "A", "TZ", inZone, undefined, "10:01", "10:00", "59m", 1],
  ["never ran, suspended", "A", "H", { ...fresh, ...suspended }, undefined, "10:01", "", "", 0],
  ["never ran, past the deadline", "A", "H", fresh, 10, "10:12", "", "48m", 0],
  ["never ran, before the deadline", "A", "H", fresh, 1_000_000, "10:01", "10:00", "59m", 0],
  ["done, not time", "AFR", "H", done, undefined, "9:59", "", "1m", 0],
  ["done, time", "AFR", "H", done, undefined, "10:01", "10:00", "59m", 0],
  ["done, suspended", "A", "H", { ...done, ...suspended }, undefined, "10:01", "", "", 0],
  ["done, past the deadline", "A", "H", done, 10, "10:01", "", "59m", 0],
  ["done, before the deadline", "A", "H", done, 1_000_000, "10:01", "10:00", "59m", 0],
  ["active, not time", "AFR", "H", running, undefined, "9:59", "", "1m", 0],
  ["active, time", "A", "H", running, undefined, "10:01", "10:00", "59m", 0],
  ["active, time", "F", "H", running, undefined, "10:01", "", "59m", 0],
  ["active, time", "R", "H", running, undefined, "10:01", "10:00, not 9:01", "59m", 0],
  ["active, suspended", "A", "H", { ...running, ...suspended }, undefined, "10:01", "", "", 0],
  ["active, past the deadline", "A", "H", running, 10, "10:01", "", "59m", 0],
  ["active, before the deadline", "A", "H", running, 1_000_000, "10:01", "10:00", "59m", 0],
  ["long overdue", "AFR", "H", done, undefined, "+7d 10:00", "+7d 10:00", "1h", 1],
  ["long overdue, before the deadline", "AFR", "H", done, 1_000_000, "+7d 10:00", "+7d 10:00", "1h", 1],
  ["long overdue, two hours' deadline", "AFR", "H", done, 7200, "+7d 10:00", "+7d 10:00", "1h", 0],
  ["long overdue, past the deadline", "AFR", "H", done, 10, "+7d 10:00", "+7d 10:00", "1h", 0],
  [
    "active since this time",
    "AFR",
    "H",
    { last: "9:01", active: "10:00" },
    1_000_000,
    "10:01:00.1",
    "",
    "58m59.9s",
    0,
  ],
  ["every hour, not time", "A", "E", fresh, undefined, "10:00", "", "59m", 0],
  ["every hour, time", "A", "E", {}, undefined, "9:59", "9:59", "1h", 0],
  ["every hour, past the deadline", "A", "E", {}, 10, "9:59:11", "", "59m49s", 0],
  ["every hour, before the deadline", "A", "E", {}, 1_000_000, "9:59:09", "9:59", "59m51s", 0],
  ["every hour, done, not time", "A", "E", { last: "9:59" }, undefined, "10:00", "", "59m", 0],
  ["every hour, done, time", "A", "E", { last: "9:59" }, undefined, "11:00", "10:59", "59m", 0],
  ["every hour, done, past the deadline", "A", "E", { last: "9:59" }, 10, "10:59:11", "", "59m49s", 0],
  ["every hour, active, not time", "A", "E", earlier, undefined, "10:00", "", "59m", 0],
  [
    "every hour, active, time",
    "A",
    "E",
    { last: "8:59", active: "8:59" },
    undefined,
    "10:01",
    "9:59",
    "58m",
    0,
  ],
  ["every hour, active, past the deadline", "A", "E", earlier, 10, "10:59:11", "", "59m49s", 0],
  ["every hour, active, before the deadline", "A", "E", earlier, 1_000_000, "10:59:09", "10:59", "59m51s", 0],
  [
    "every hour, long overdue",
    "A",
    "E",
    { created: "9:01", last: "10:01" },
    undefined,
    "+7d 10:00",
    "+7d 9:01",
    "1m",
    1,
  ],
  [
    "every hour, long overdue, past the deadline",
    "A",
    "E",
    { created: "9:01", last: "10:01" },
    10,
    "+7d 10:01:11",
    "",
    "59m49s",
    0,
  ],
])("%s (%s)", (_, all, schedule, before, startingDeadlineSeconds, now, started, next, warnings) => {
  for (const policy of all) {
    const deadline = startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds };
    const concurrencyPolicy = policies.get(policy);
    const spec = { schedule: schedules.get(schedule), concurrencyPolicy, ...deadline };
    const { start, events, untilNextMs } = planStart(aCronJob(spec, before), timeOf(now));
    const [scheduled = "", replaced] = started.split(", not ");
    expect(start?.job.metadata?.name).toBe(scheduled === "" ? undefined : jobName(scheduled));
    expect(start?.replace.map(({ name }) => name) ?? []).toEqual(
      replaced === undefined ? [] : [jobName(replaced)],
    );
    // The allowance for clocks that differ.
    expect(untilNextMs).toBe(next === "" ? undefined : millis(next) + 100);
    expect(events.filter(({ type }) => type === "Warning")).toHaveLength(warnings);
  }
});
