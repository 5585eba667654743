import { expect, test } from "vitest";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start, template } from "../builders.suite.ts";
import { assess } from "./assessment.ts";
import { noFailures } from "./backoff.ts";
import { countAfter, type PodAction, planPods } from "./plan.ts";
import { jobPod } from "./pod-template.ts";
import { indexAnnotation, trackingFinalizer } from "./pods.ts";
import { planEnd, planTracking } from "./tracking.ts";

const aJob = (spec: object = {}, status: object = {}, metadata: object = {}): Job =>
  build(jobs, {
    metadata: { name: "work", namespace: "default", uid: "uid-work", ...metadata },
    spec: { parallelism: 2, completions: 5, backoffLimit: 6, template, ...spec },
    status: { startTime: formatTime(start), ...status },
  });

interface PodShape {
  readonly phase?: string;
  readonly index?: number;
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  readonly finishedAt?: number;
}

const shaped = (
  name: string,
  { phase = "Running", index, finalizers = [trackingFinalizer], deleted = false, finishedAt }: PodShape,
): Pod => {
  const terminated = { exitCode: phase === "Failed" ? 1 : 0, finishedAt: formatTime(finishedAt ?? start) };
  return aPod(name, {
    metadata: {
      creationTimestamp: formatTime(start),
      finalizers,
      ...(index === undefined ? {} : { annotations: { [indexAnnotation]: `${index}` } }),
      ...(deleted ? { deletionTimestamp: formatTime(start) } : {}),
    },
    status: {
      phase,
      ...(finishedAt === undefined ? {} : { containerStatuses: [{ name: "web", state: { terminated } }] }),
    },
  });
};
const some = (count: number, shape: PodShape = {}, prefix = shape.phase ?? "Running") =>
  Array.from({ length: count }, (_, i) => shaped(`${prefix}-${i}`, shape));

const planFor = (job: Job, pods: readonly Pod[], now = start) =>
  planPods(assess({ job, pods, backoff: noFailures, now }));

const indexed = { completionMode: "Indexed", parallelism: 3, completions: 5 };
const late = start + 3_600_000;

// After upstream's `TestControllerSyncJob`.
test.each<readonly [string, Job, readonly Pod[], object]>([
  ["a new Job creates its Pods", aJob(), [], { create: 2 }],
  ["a work queue creates its Pods", aJob({ completions: undefined }), [], { create: 2 }],
  ["pending Pods are active", aJob(), some(2, { phase: "Pending" }), {}],
  [
    "too few active Pods are filled up",
    aJob(),
    [...some(1), ...some(1, { phase: "Succeeded" })],
    { create: 1 },
  ],
  [
    "no more Pods than completions are created",
    aJob({ parallelism: 5 }, { succeeded: 3 }),
    some(1),
    { create: 1 },
  ],
  ["too many active Pods are deleted", aJob(), some(3), { delete: ["Running-0"] }],
  [
    "unscheduled and pending Pods are deleted first",
    aJob(),
    [...some(2), ...some(1, { phase: "Pending" })],
    { delete: ["Pending-0"] },
  ],
  [
    "a parallelism of 0 deletes all Pods",
    aJob({ parallelism: 0 }),
    some(2),
    { delete: ["Running-0", "Running-1"] },
  ],
  [
    "a work queue starts nothing after its first success",
    aJob({ completions: undefined }),
    [...some(1), ...some(1, { phase: "Succeeded" })],
    {},
  ],
  [
    "a work queue deletes nothing after its first success",
    aJob({ completions: undefined, parallelism: 1 }, { succeeded: 1 }),
    some(3),
    {},
  ],
  ["a terminating Job creates nothing", aJob({}, {}, { deletionTimestamp: formatTime(start) }), [], {}],
  [
    "a suspended Job deletes its Pods",
    aJob({ suspend: true }),
    some(2),
    { delete: ["Running-0", "Running-1"] },
  ],
  ["a suspended Job creates nothing", aJob({ suspend: true }), [], {}],
  [
    "too many failures end the Job",
    aJob({ backoffLimit: 0 }),
    [...some(1), ...some(1, { phase: "Failed" })],
    { end: ["Running-0"] },
  ],
  [
    "counted and uncounted failures add up",
    aJob({ backoffLimit: 2 }, { failed: 1, uncountedTerminatedPods: { failed: ["uid-Failed-0"] } }),
    some(2, { phase: "Failed" }),
    { end: [] },
  ],
  [
    "a Pod without the finalizer does not count again",
    aJob({ backoffLimit: 1 }, { failed: 1 }),
    some(1, { phase: "Failed", finalizers: [] }),
    { create: 2 },
  ],
  ["a terminating Pod counts as failed", aJob({ backoffLimit: 0 }), some(1, { deleted: true }), { end: [] }],
  [
    "with podReplacementPolicy Failed, a terminating Pod is not replaced",
    aJob({ podReplacementPolicy: "Failed" }),
    some(1, { deleted: true }),
    { create: 1 },
  ],
  [
    "an Indexed Job fills the first free indexes",
    aJob(indexed, { completedIndexes: "1" }),
    [shaped("a", { index: 0 })],
    { create: 2, indexes: [2, 3] },
  ],
  [
    "an Indexed Job counts an uncounted index once",
    aJob(indexed, { completedIndexes: "0" }),
    [shaped("a", { index: 0, phase: "Succeeded" })],
    { create: 3, indexes: [1, 2, 3] },
  ],
  [
    "an Indexed Job deletes repeated, invalid and missing indexes",
    aJob(indexed),
    [
      shaped("a", { index: 1 }),
      shaped("b", { index: 1, phase: "Pending" }),
      shaped("c", { index: 5 }),
      shaped("d", {}),
    ],
    { delete: ["d", "b", "c"] },
  ],
  [
    "a Job that failed before ends",
    aJob({}, { conditions: [{ type: "FailureTarget", status: "True" }] }),
    some(1),
    { end: ["Running-0"] },
  ],
])("%s", (_, job, pods, expected) => {
  const plan = planFor(job, pods, late);
  expect(summary(plan)).toEqual(expected);
});

function summary(plan: PodAction): object {
  switch (plan.type) {
    case "none":
      return {};
    case "wait":
      return { wait: plan.ms };
    case "create": {
      const indexes = plan.pods.map(({ index }) => index).filter((index) => index !== undefined);
      return { create: plan.pods.length, ...(indexes.length === 0 ? {} : { indexes }) };
    }
    case "delete":
    case "end":
      return { [plan.type]: plan.pods.map(({ metadata }) => metadata.name) };
  }
}

test.each([
  [1, 4000, 6000],
  [2, 4000, 16_000],
  [3, 0, 40_000],
  [6, 0, 320_000],
  [7, 0, 600_000],
  [40, 0, 600_000],
])("after %i failures, the last %i ms ago, a new Pod waits %i ms", (failures, ago, ms) => {
  const pods = Array.from({ length: failures }, (_, i) =>
    shaped(`f-${i}`, { phase: "Failed", finishedAt: start - (failures - 1 - i) * 1000 }),
  );
  expect(planFor(aJob({ backoffLimit: 100 }), pods, start + ago)).toEqual({ type: "wait", ms });
});

test("failures before the last success do not delay a new Pod", () => {
  const finish = (name: string, phase: string, seconds: number) =>
    shaped(name, { phase, finishedAt: start + seconds * 1000 });
  const pods = [finish("a", "Failed", 0), finish("b", "Failed", 1), finish("c", "Succeeded", 2)];
  expect(planFor(aJob(), pods, start + 3000).type).toBe("create");
  expect(planFor(aJob(), [...pods, finish("d", "Failed", 3)], start + 3000)).toEqual({
    type: "wait",
    ms: 10_000,
  });
});

const track = (job: Job, pods: readonly Pod[]) => {
  const assessment = assess({ job, pods, backoff: noFailures, now: late });
  const action = planPods(assessment);
  const deleted = action.type === "delete" || action.type === "end" ? action.pods : [];
  const tracking = planTracking(assessment, countAfter(assessment, 0, deleted));
  return { assessment, tracking };
};

test("finished Pods are uncounted until they have lost their finalizer", () => {
  const job = aJob({ parallelism: 0 }, { succeeded: 1, failed: 1 });
  const pods = [
    ...some(2, { phase: "Succeeded" }),
    ...some(1, { phase: "Failed" }),
    ...some(1, { phase: "Failed", finalizers: [] }, "old"),
  ];
  const { assessment, tracking } = track(job, pods);
  const uncountedTerminatedPods = {
    succeeded: ["uid-Succeeded-0", "uid-Succeeded-1"],
    failed: ["uid-Failed-0"],
  };
  expect(tracking.status).toMatchObject({ succeeded: 1, failed: 1, uncountedTerminatedPods });
  expect(tracking.release.map(({ metadata }) => metadata.name)).toEqual([
    "Succeeded-0",
    "Succeeded-1",
    "Failed-0",
  ]);
  const end = planEnd(assessment, tracking, tracking.status, new Set(["uid-Succeeded-1"]));
  expect(end.status).toMatchObject({
    succeeded: 2,
    failed: 2,
    uncountedTerminatedPods: { succeeded: ["uid-Succeeded-1"] },
  });
});

test("no reconciliation counts more than 500 Pods, and a Job with more does not finish", () => {
  const { assessment, tracking } = track(aJob({ completions: 501 }), some(501, { phase: "Succeeded" }));
  expect(tracking.release.length).toBe(500);
  const { status } = planEnd(assessment, tracking, tracking.status, new Set(["uid-Succeeded-500"]));
  expect(status.succeeded).toBe(500);
  expect((status.conditions ?? []).map(({ type }) => type)).toEqual(["SuccessCriteriaMet"]);
});

test("more successes than completions are reported", () => {
  const { assessment, tracking } = track(aJob({ completions: 1 }), some(2, { phase: "Succeeded" }));
  const { events } = planEnd(assessment, tracking, tracking.status, new Set());
  expect(events.map(({ reason }) => reason)).toEqual(["TooManySucceededPods", "Completed"]);
});

test("the name of a Pod of an index leaves room for its suffix", () => {
  const job = aJob(indexed, {}, { name: "x".repeat(63) });
  const { generateName = "" } = jobPod(job, { index: 12 }).metadata ?? {};
  expect(generateName).toBe(`${"x".repeat(54)}-12-`);
});
