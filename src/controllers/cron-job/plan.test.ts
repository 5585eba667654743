import { expect, test } from "vitest";
import { type CronJob, cronJobs } from "../../api/batch/cron-job/schema.ts";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import { build, template } from "../builders.suite.ts";
import { missedStarts } from "./missed.ts";
import { planActive, planHistory, planStart } from "./plan.ts";

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
