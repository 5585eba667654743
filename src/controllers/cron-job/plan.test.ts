import { expect, test } from "vitest";
import { type CronJob, cronJobs } from "../../api/batch/cron-job/schema.ts";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import { build, template } from "../builders.suite.ts";
import { EmptyScheduleError, missedStarts, untilNextMs } from "./missed.ts";
import { planActive, planHistory, planStart, unknownJobs } from "./plan.ts";

const hour = 3_600_000;
/** The top of an hour, a Thursday (upstream `topOfTheHour`). */
const top = Date.UTC(2016, 4, 19, 10);
const at = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");

const aCronJob = (spec: object = {}, status: object = {}, createdAt = top - hour): CronJob =>
  build(cronJobs, {
    metadata: { name: "work", namespace: "default", uid: "uid-work", creationTimestamp: at(createdAt) },
    spec: { schedule: "0 * * * ?", jobTemplate: { spec: { template } }, ...spec },
    status,
  });
const aReference = (name: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  name,
  namespace: "default",
  uid: `uid-${name}`,
});
const running = { active: [aReference("work-1")], lastScheduleTime: at(top - hour) };

// From upstream's `TestControllerV2SyncCronJob`.
test.each<readonly [string, CronJob, number, object]>([
  [
    "a first start that is not due waits",
    aCronJob({}, {}, top - 20_000),
    top - 10_000,
    { untilNextMs: 10_100 },
  ],
  [
    "a first start that is due is made",
    aCronJob(),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  ["a suspended CronJob starts nothing", aCronJob({ suspend: true }), top + 1000, {}],
  [
    "a terminating CronJob starts nothing",
    { ...aCronJob(), metadata: { ...aCronJob().metadata, deletionTimestamp: at(top) } },
    top + 1000,
    {},
  ],
  [
    "a start past its deadline is missed",
    aCronJob({ startingDeadlineSeconds: 60 }, { lastScheduleTime: at(top - hour) }),
    top + 61_000,
    { untilNextMs: hour - 61_000 + 100 },
  ],
  [
    "a start within its deadline is made",
    aCronJob({ startingDeadlineSeconds: 62 }),
    top + 61_000,
    { started: "work-24394200", untilNextMs: hour - 61_000 + 100 },
  ],
  [
    "an active Job does not prevent a start",
    aCronJob({}, running),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  [
    "an active Job prevents a start with Forbid",
    aCronJob({ concurrencyPolicy: "Forbid" }, running),
    top + 1000,
    {
      events: [
        "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
      ],
      untilNextMs: hour - 1000 + 100,
    },
  ],
  [
    "an active Job is replaced with Replace",
    aCronJob({ concurrencyPolicy: "Replace" }, running),
    top + 1000,
    { started: "work-24394200", replaced: ["work-1"], untilNextMs: hour - 1000 + 100 },
  ],
  [
    "a start that was made is not made again",
    aCronJob({}, { lastScheduleTime: at(top) }),
    top + 1000,
    { untilNextMs: hour - 1000 + 100 },
  ],
  [
    "a start whose Job is active is not made again",
    aCronJob({}, { active: [aReference("work-24394200")] }),
    top + 1000,
    { untilNextMs: hour - 1000 + 100 },
  ],
  [
    "more than 100 missed starts are reported, and the last one is made",
    aCronJob({}, { lastScheduleTime: at(top - 102 * hour) }),
    top + 1000,
    {
      started: "work-24394200",
      events: [
        "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
      ],
      untilNextMs: hour - 1000 + 100,
    },
  ],
  [
    "exactly 100 missed starts are not reported",
    aCronJob({}, { lastScheduleTime: at(top - 100 * hour) }),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  [
    "a start that is due right now is made",
    aCronJob(),
    top,
    { started: "work-24394200", untilNextMs: hour + 100 },
  ],
  [
    "Forbid without an active Job lets a start be made",
    aCronJob({ concurrencyPolicy: "Forbid" }),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  [
    "an active Job of another namespace is another",
    aCronJob({}, { active: [{ ...aReference("work-24394200"), namespace: "other" }] }),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  [
    "a time zone in the schedule counts, and is reported",
    aCronJob({ schedule: "TZ=Asia/Kolkata 30 * * * *", timeZone: "Etc/UTC" }, {}, top - 10_000),
    top + 1000,
    {
      started: "work-24394200",
      events: [
        'UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=Asia/Kolkata 30 * * * *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      ],
      untilNextMs: hour - 1000 + 100,
    },
  ],
  [
    "a time zone counts",
    aCronJob({ schedule: "30 * * * *", timeZone: "Asia/Kolkata" }, {}, top - 10_000),
    top + 1000,
    { started: "work-24394200", untilNextMs: hour - 1000 + 100 },
  ],
  [
    "an unknown time zone is reported",
    aCronJob({ timeZone: "bad zone" }),
    top + 1000,
    { events: ['UnknownTimeZone: invalid timeZone: "bad zone": unknown time zone bad zone'] },
  ],
  [
    "an invalid schedule is reported",
    aCronJob({ schedule: "invalid schedule" }),
    top + 1000,
    {
      events: [
        'UnparseableSchedule: unparseable schedule: "invalid schedule" : expected exactly 5 fields, found 2: [invalid schedule]',
      ],
    },
  ],
  [
    "a schedule without times is reported",
    aCronJob({ schedule: "59 23 31 2 *" }),
    top + 1000,
    {
      events: [
        "InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
      ],
    },
  ],
])("%s", (_, cronJob, now, expected) => {
  const { start, events, untilNextMs } = planStart(cronJob, now);
  const told = events.map(({ reason, message }) => `${reason}: ${message}`);
  expect(events.every(({ type, reason }) => (type === "Normal") === (reason === "JobAlreadyActive"))).toBe(
    true,
  );
  const replaced = start?.replace.map(({ name }) => name) ?? [];
  expect({ started: start?.job.metadata?.name, replaced, events: told, untilNextMs }).toEqual({
    started: undefined,
    replaced: [],
    events: [],
    untilNextMs: undefined,
    ...expected,
  });
});

test("a Job has the template's metadata, its owner, and the scheduled time in the time zone", () => {
  const jobTemplate = { metadata: { labels: { a: "b" }, annotations: { x: "y" } }, spec: { template } };
  const job = planStart(aCronJob({ jobTemplate, timeZone: "Europe/Berlin" }), top + 1000).start?.job;
  expect(job?.metadata).toEqual({
    name: "work-24394200",
    namespace: "default",
    labels: { a: "b" },
    annotations: { x: "y", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2016-05-19T12:00:00+02:00" },
    ownerReferences: [
      {
        apiVersion: "batch/v1",
        kind: "CronJob",
        name: "work",
        uid: "uid-work",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
});

// From upstream's `TestMostRecentScheduleTime`.
test.each([
  ["none is missed before the next start", 30_000, undefined, 0],
  ["one is missed", 61 * 60_000, hour, 0],
  ["five are missed", 301 * 60_000, 5 * hour, 5],
  ["one is missed at its very time", hour, hour, 0],
  ["two are missed at the time of the second", 2 * hour, 2 * hour, 2],
])("%s", (_, sinceMs, last, count) => {
  const next = (time: number) => (Math.floor(time / hour) + 1) * hour;
  const missed = missedStarts(aCronJob({}, {}, top), next, top + sinceMs, false);
  expect(missed).toEqual({ earliest: top, last: last === undefined ? undefined : top + last, count });
});

const aJob = (
  name: string,
  type: string | undefined,
  startedAt: number | undefined,
  completedAt = top,
): Job =>
  build(jobs, {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: { template },
    status: {
      startTime: startedAt === undefined ? undefined : at(startedAt),
      completionTime: type === "Complete" ? at(completedAt) : undefined,
      conditions: type === undefined ? [] : [{ type, status: "True" }],
    },
  });

test("the oldest finished Jobs beyond the limits are deleted, those that never started last", () => {
  const owned = [
    aJob("running", undefined, top - 9 * hour),
    aJob("c", "Complete", undefined),
    aJob("b", "Complete", top - hour),
    aJob("a", "Complete", top - 2 * hour),
    aJob("f2", "Failed", top - 3 * hour),
    aJob("f1", "Failed", top - 3 * hour),
  ];
  const names = (spec: object) => planHistory(aCronJob(spec), owned).map(({ metadata }) => metadata.name);
  expect(names({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 })).toEqual(["a", "b", "f1"]);
  expect(names({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 })).toEqual([
    "a",
    "b",
    "c",
    "f1",
    "f2",
  ]);
  expect(names({})).toEqual(["f1"]);
});

test("Jobs that are terminating do not count for the limits, and without a limit all Jobs stay", () => {
  const ended = ["a", "b"].map((name) => aJob(name, "Complete", top));
  const [first, second] = ended.map((job) => ({
    ...job,
    metadata: { ...job.metadata, deletionTimestamp: at(top) },
  }));
  if (first === undefined || second === undefined) throw new Error("There are two Jobs");
  const names = (spec: object, jobs: readonly Job[]) =>
    planHistory(aCronJob(spec), jobs).map(({ metadata }) => metadata.name);
  expect(names({ successfulJobsHistoryLimit: 1 }, [first, ...ended])).toEqual(["a"]);
  expect(names({ successfulJobsHistoryLimit: 0 }, [first, second])).toEqual([]);
  const { spec, ...rest } = aCronJob();
  const { successfulJobsHistoryLimit: _, ...unlimited } = spec;
  expect(planHistory({ ...rest, spec: unlimited }, ended)).toEqual([]);
});

test("unfinished Jobs that are not in the status are unknown", () => {
  const owned = [aJob("a", undefined, top), aJob("b", undefined, top), aJob("c", "Complete", top)];
  const names = (status: object) =>
    unknownJobs(aCronJob({}, status), owned).map(({ metadata }) => metadata.name);
  expect(names({ active: [aReference("a")] })).toEqual(["b"]);
  expect(names({})).toEqual(["a", "b"]);
});

test("a status without news stays as it is; only conditions that are true end a Job", () => {
  const lastSuccessfulTime = at(top);
  const cronJob = aCronJob({}, { active: [aReference("r")], lastSuccessfulTime });
  expect(planActive(cronJob, [aJob("r", undefined, top)])).toEqual({ status: cronJob.status, events: [] });
  expect(planActive(aCronJob(), [aJob("x", "Failed", top)])).toEqual({ status: {}, events: [] });
  const conditions = [
    { type: "Complete", status: "False" },
    { type: "FailureTarget", status: "True" },
    { type: "Failed", status: "True" },
  ];
  const failed = aJob("r", "Failed", top);
  const { events } = planActive(cronJob, [{ ...failed, status: { ...failed.status, conditions } }]);
  expect(events).toEqual([
    { type: "Normal", reason: "SawCompletedJob", message: "Saw completed job: r, condition: Failed" },
  ]);
});

test("without a last start, the next one is looked for from now; with one, from there", () => {
  const hourly = (time: number) => (Math.floor(time / hour) + 1) * hour;
  const created = aCronJob({}, {}, top);
  expect(untilNextMs(created, hourly, top + 1000)).toBe(hour - 1000 + 100);
  expect(untilNextMs(created, hourly, top + 5 * hour)).toBe(hour + 100);
  const once = (time: number) => (time < top ? top : undefined);
  expect(() => untilNextMs(aCronJob({}, {}, top - hour), once, top + 1000)).toThrow(EmptyScheduleError);
  expect(untilNextMs(aCronJob({}, {}, top - hour), once, top - 1000)).toBe(1100);
});

test("the last start of an irregular schedule is found from one interval before the estimate", () => {
  // From the 1st to the 2nd hour of each day.
  const day = 24 * hour;
  const next = (time: number) => {
    const start = Math.floor(time / day) * day;
    return [start + hour, start + 2 * hour, start + day + hour].find((one) => one > time);
  };
  const midnight = Date.UTC(2016, 4, 19);
  const missed = missedStarts(aCronJob({}, {}, midnight), next, midnight + day + 1.5 * hour, false);
  expect(missed.last).toBe(midnight + day + hour);
});

test("finished Jobs leave the active list, and the last success is remembered", () => {
  const cronJob = aCronJob(
    {},
    { active: ["a", "f", "r"].map(aReference), lastSuccessfulTime: at(top - 5 * hour) },
  );
  const owned = [
    aJob("a", "Complete", top - hour, top - hour),
    aJob("old", "Complete", top - hour, top - 2 * hour),
    aJob("f", "Failed", top),
    aJob("r", undefined, top),
  ];
  const { status, events } = planActive(cronJob, owned);
  expect(status).toEqual({ active: [aReference("r")], lastSuccessfulTime: at(top - hour) });
  expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    "SawCompletedJob: Saw completed job: a, condition: Complete",
    "SawCompletedJob: Saw completed job: f, condition: Failed",
  ]);
});
