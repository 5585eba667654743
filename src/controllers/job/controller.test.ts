import { expect, test } from "vitest";
import { jobs } from "../../api/batch/job/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { jobController } from "./controller.ts";
import { jobNodes, type JobNodeOptions } from "./job-nodes.suite.ts";
import { orphanedPodController } from "./orphans.ts";
import { indexAnnotation, trackingFinalizer } from "./pods.ts";

async function start(nodes: JobNodeOptions = {}, lagMs?: (plural: string) => number): Promise<Testbed> {
  const make = ({ clock }: Testbed["env"]) => [jobController(clock), orphanedPodController()];
  const bed = await startTestbed(make, lagMs === undefined ? {} : { lagMs });
  bed.runAsAdmin(jobNodes(bed.env, nodes));
  return bed;
}

const template = {
  spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "main:1" }] },
};
const create = ({ client }: Testbed, spec: object = {}) =>
  client.of(jobs, "default").create({ metadata: { name: "work" }, spec: { template, ...spec } });
const get = ({ client }: Testbed) => client.of(jobs, "default").get("work");
const statusOf = async (bed: Testbed) => (await get(bed)).status;
const podsOf = async ({ client }: Testbed) => (await client.of(pods, "default").list()).items;
const change = ({ client }: Testbed, spec: object) =>
  client.of(jobs, "default").patch("work", { spec }, { type: "merge" });
const conditionsOf = async (bed: Testbed) =>
  ((await statusOf(bed)).conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const finished = (bed: Testbed) => async () =>
  (await conditionsOf(bed)).some((text) => /^(Complete|Failed)=True/.test(text));
/** The Events, without names of Pods and in the order of time; equal ones once. */
const toldOf = async (bed: Testbed) => [
  ...new Set((await bed.eventsOf("work")).map((text) => text.replace(/(pod: work)\S+/, "$1"))),
];

test("a Job runs its Pods to completion, counts each once and releases it", async () => {
  const bed = await start();
  await create(bed, { completions: 5, parallelism: 2 });
  await bed.until(async () => {
    expect((await podsOf(bed)).filter(({ status }) => status.phase === "Running").length).toBeLessThanOrEqual(
      2,
    );
    return finished(bed)();
  });
  const { startTime, completionTime, conditions, ...counts } = await statusOf(bed);
  expect(counts).toEqual({ ready: 0, terminating: 0, succeeded: 5, uncountedTerminatedPods: {} });
  expect(await conditionsOf(bed)).toEqual([
    "SuccessCriteriaMet=True CompletionsReached",
    "Complete=True CompletionsReached",
  ]);
  expect(conditions?.[1]?.message).toBe("Reached expected number of succeeded pods");
  expect(startTime).toBe("2026-01-01T00:00:00Z");
  expect(completionTime).toBe(conditions?.[1]?.lastTransitionTime);
  const all = await podsOf(bed);
  expect(all.length).toBe(5);
  for (const { metadata } of all) {
    expect(metadata.finalizers ?? []).toEqual([]);
    expect(metadata.generateName).toBe("work-");
    expect(metadata.labels).toMatchObject({ "job-name": "work", "batch.kubernetes.io/job-name": "work" });
    expect(metadata.ownerReferences).toMatchObject([
      { apiVersion: "batch/v1", kind: "Job", controller: true },
    ]);
  }
  expect(await toldOf(bed)).toEqual(["SuccessfulCreate: Created pod: work", "Completed: Job completed"]);
  expect((await bed.eventsOf("work")).length).toBe(6);
  expect(bed.complaints).toEqual([]);
});

test("a Job counts exactly even while its cache is stale", async () => {
  const lag: Record<string, number> = { pods: 700, jobs: 300 };
  const bed = await start(
    { fate: (_, attempt) => ({ exitCode: attempt % 5 === 0 ? 1 : 0 }) },
    (plural) => lag[plural] ?? 0,
  );
  await create(bed, { completions: 20, parallelism: 7, backoffLimit: 10 });
  await bed.until(finished(bed));
  const { succeeded, failed, uncountedTerminatedPods } = await statusOf(bed);
  const all = await podsOf(bed);
  const count = (phase: string) => all.filter(({ status }) => status.phase === phase).length;
  expect({ succeeded, failed }).toEqual({ succeeded: 20, failed: count("Failed") });
  expect(count("Succeeded")).toBe(20);
  expect(uncountedTerminatedPods).toEqual({});
  expect(bed.complaints).toEqual([]);
  expect(all.length).toBe(20 + count("Failed"));
});

test("failed Pods are replaced after 10 s, then 20 s, until the Job has reached its back-off limit", async () => {
  const bed = await start({ fate: () => ({ exitCode: 1 }) });
  await create(bed, { backoffLimit: 2 });
  await bed.until(finished(bed));
  expect(await statusOf(bed)).toMatchObject({ failed: 3, uncountedTerminatedPods: {}, terminating: 0 });
  expect(await conditionsOf(bed)).toEqual([
    "FailureTarget=True BackoffLimitExceeded",
    "Failed=True BackoffLimitExceeded",
  ]);
  const created = (await podsOf(bed)).map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""));
  const [first = 0, second = 0, third = 0] = created.toSorted((a, b) => a - b);
  expect([second - first, third - second]).toEqual([11_000, 21_000]);
  expect(await toldOf(bed)).toEqual([
    "SuccessfulCreate: Created pod: work",
    "BackoffLimitExceeded: Job has reached the specified backoff limit",
  ]);
});

test("a Job that fails deletes its Pods, and is Failed only once they have terminated", async () => {
  const bed = await start({ fate: () => ({ runMs: Infinity }), stopMs: 5000 });
  await create(bed, { parallelism: 2, completions: 2, activeDeadlineSeconds: 60 });
  await bed.until(async () => (await statusOf(bed)).terminating === 2);
  expect(bed.clock.now()).toBeGreaterThanOrEqual(Date.parse("2026-01-01T00:01:00Z"));
  expect(await conditionsOf(bed)).toEqual(["FailureTarget=True DeadlineExceeded"]);
  await bed.until(finished(bed));
  expect(bed.clock.now()).toBe(Date.parse("2026-01-01T00:01:05Z"));
  expect(await statusOf(bed)).toMatchObject({ failed: 2, terminating: 0, ready: 0 });
  expect(await podsOf(bed)).toEqual([]);
  expect(await toldOf(bed)).toEqual([
    "SuccessfulCreate: Created pod: work",
    "SuccessfulDelete: Deleted pod: work",
    "DeadlineExceeded: Job was active longer than specified deadline",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("an Indexed Job runs one Pod for each index, with a stable name, hostname and variable", async () => {
  const bed = await start();
  await create(bed, { completionMode: "Indexed", completions: 3, parallelism: 3 });
  await bed.until(finished(bed));
  expect(await statusOf(bed)).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
  expect(bed.complaints).toEqual([]);
  const all = await podsOf(bed);
  const byIndex = all.toSorted((a, b) => (a.spec.hostname ?? "").localeCompare(b.spec.hostname ?? ""));
  expect(byIndex.map(({ spec }) => spec.hostname)).toEqual(["work-0", "work-1", "work-2"]);
  for (const [index, { metadata, spec }] of byIndex.entries()) {
    expect(metadata.name).toMatch(new RegExp(`^work-${index}-[a-z0-9]{5}$`));
    expect(metadata.labels?.[indexAnnotation]).toBe(`${index}`);
    expect(metadata.annotations?.[indexAnnotation]).toBe(`${index}`);
    expect(spec.containers[0]?.env).toEqual([
      {
        name: "JOB_COMPLETION_INDEX",
        valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${indexAnnotation}']` } },
      },
    ]);
  }
});

test("a work queue completes with its first success, once the other Pods have ended", async () => {
  const bed = await start({ fate: (_, attempt) => ({ runMs: attempt * 10_000 }) });
  await create(bed, { parallelism: 3 });
  await bed.until(finished(bed));
  expect(bed.clock.now()).toBe(Date.parse("2026-01-01T00:00:30Z"));
  expect(await statusOf(bed)).toMatchObject({ succeeded: 3 });
});

test("a suspended Job has no Pods, and starts anew when it is resumed", async () => {
  const bed = await start({ fate: () => ({ runMs: 60_000 }) });
  await create(bed);
  await bed.until(async () => (await statusOf(bed)).ready === 1);
  await change(bed, { suspend: true });
  await bed.until(async () => (await podsOf(bed)).length === 0);
  await bed.until(async () => (await statusOf(bed)).terminating === 0);
  const suspended = await statusOf(bed);
  expect(suspended.startTime).toBeUndefined();
  expect(suspended.failed).toBeUndefined();
  expect(await conditionsOf(bed)).toEqual(["Suspended=True JobSuspended"]);
  await bed.clock.advance(100_000);
  await change(bed, { suspend: false });
  await bed.until(finished(bed));
  expect((await statusOf(bed)).startTime).toBe("2026-01-01T00:01:40Z");
  expect((await conditionsOf(bed))[0]).toBe("Suspended=False JobResumed");
  expect(await toldOf(bed)).toEqual([
    "SuccessfulCreate: Created pod: work",
    "SuccessfulDelete: Deleted pod: work",
    "Suspended: Job suspended",
    "Resumed: Job resumed",
    "Completed: Job completed",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("Pods of a deleted Job and Pods without a Job lose their finalizer", async () => {
  const bed = await start({ fate: () => ({ runMs: Infinity }) });
  await create(bed, { parallelism: 2, completions: 2 });
  await bed.until(async () => (await statusOf(bed)).ready === 2);
  expect((await podsOf(bed)).every(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer))).toBe(
    true,
  );
  await bed.client.of(jobs, "default").delete("work", { propagationPolicy: "Background" });
  await bed.client
    .of(pods, "default")
    .create({ metadata: { name: "alone", finalizers: [trackingFinalizer] }, spec: template.spec });
  await bed.until(async () => (await podsOf(bed)).every(({ metadata }) => metadata.finalizers === undefined));
  expect((await podsOf(bed)).length).toBe(3);
});

test("a Job adopts Pods that it selects and counts them, and releases those that it does not select", async () => {
  const bed = await start({ fate: () => ({ runMs: 10_000 }) });
  const labels = { app: "work" };
  await bed.client.of(pods, "default").create({ metadata: { name: "orphan", labels }, spec: template.spec });
  const manual = { manualSelector: true, selector: { matchLabels: labels } };
  await create(bed, {
    ...manual,
    completions: 2,
    parallelism: 2,
    template: { ...template, metadata: { labels } },
  });
  await bed.until(async () => (await statusOf(bed)).ready === 2);
  const orphan = () => bed.client.of(pods, "default").get("orphan");
  expect((await podsOf(bed)).length).toBe(2);
  expect((await orphan()).metadata).toMatchObject({
    finalizers: [trackingFinalizer],
    ownerReferences: [{ name: "work" }],
  });
  await bed.client
    .of(pods, "default")
    .patch("orphan", { metadata: { labels: { app: "other" } } }, { type: "merge" });
  await bed.until(async () => (await podsOf(bed)).length === 3);
  expect((await orphan()).metadata.ownerReferences ?? []).toEqual([]);
  expect((await orphan()).metadata.finalizers ?? []).toEqual([]);
  await bed.until(finished(bed));
  expect(await statusOf(bed)).toMatchObject({ succeeded: 2 });
});

test("a Job with another manager is left alone", async () => {
  const bed = await start();
  await create(bed, { managedBy: "example.com/queue" });
  await bed.clock.advance(60_000);
  expect(await podsOf(bed)).toEqual([]);
  expect(await statusOf(bed)).toEqual({});
});
