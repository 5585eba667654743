import { expect, test } from "vitest";
import { jobs } from "../../api/batch/job/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { jobController } from "./controller.ts";
import { jobNodes, type JobNodeOptions } from "./job-nodes.suite.ts";
import { orphanedPodController } from "./orphans.ts";
import { failuresAnnotation } from "./per-index.ts";
import { completionIndex } from "./pods.ts";

const template = {
  spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "main:1" }] },
};

async function start(spec: object, nodes: JobNodeOptions): Promise<Testbed> {
  const bed = await startTestbed(({ clock }) => [jobController(clock), orphanedPodController()]);
  bed.runAsAdmin(jobNodes(bed.env, nodes));
  await bed.client.of(jobs, "default").create({ metadata: { name: "work" }, spec: { template, ...spec } });
  return bed;
}

const statusOf = async ({ client }: Testbed) => (await client.of(jobs, "default").get("work")).status;
const podsOf = async ({ client }: Testbed) => (await client.of(pods, "default").list()).items;
const conditionsOf = async (bed: Testbed) =>
  ((await statusOf(bed)).conditions ?? []).map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  );
const finished = (bed: Testbed) => async () =>
  (await conditionsOf(bed)).some((text) => /^(Complete|Failed) /.test(text));
const indexed = { completionMode: "Indexed", parallelism: 3, completions: 3 };
const since = (bed: Testbed) => bed.clock.now() - Date.UTC(2026, 0, 1);

test("each index has its own retries, and the others go on", async () => {
  const fate = (pod: Parameters<typeof completionIndex>[0]) => ({
    exitCode: completionIndex(pod) === 1 ? 1 : 0,
  });
  const bed = await start({ ...indexed, backoffLimitPerIndex: 2 }, { fate });
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  expect(await statusOf(bed)).toMatchObject({
    succeeded: 2,
    failed: 3,
    completedIndexes: "0,2",
    failedIndexes: "1",
  });
  expect(await conditionsOf(bed)).toEqual([
    "FailureTarget FailedIndexes: Job has failed indexes",
    "Failed FailedIndexes: Job has failed indexes",
  ]);
  const failed = (await podsOf(bed)).filter((pod) => completionIndex(pod) === 1);
  const counts = failed.map(({ metadata }) => metadata.annotations?.[failuresAnnotation] ?? "");
  expect(new Set(counts)).toEqual(new Set(["0", "1", "2"]));
  expect(since(bed)).toBe(3 * 1000 + 10_000 + 20_000);
});

test("too many failed indexes end the Job", async () => {
  const fate = () => ({ exitCode: 1 });
  const spec = { ...indexed, completions: 9, backoffLimitPerIndex: 0, maxFailedIndexes: 2 };
  const bed = await start(spec, { fate });
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  expect((await conditionsOf(bed)).at(-1)).toBe(
    "Failed MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes",
  );
  expect((await statusOf(bed)).failedIndexes).toBe("0-2");
});

test("a rule of the Pod failure policy fails the Job at once", async () => {
  const podFailurePolicy = { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] };
  const bed = await start({ podFailurePolicy }, { fate: () => ({ exitCode: 42 }) });
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  const [pod] = await podsOf(bed);
  const why = `PodFailurePolicy: Container main for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`;
  expect(await conditionsOf(bed)).toEqual([`FailureTarget ${why}`, `Failed ${why}`]);
  expect(await statusOf(bed)).toMatchObject({ failed: 1 });
  expect(await bed.eventsOf("work")).toContain(why);
});

test("an ignored failure is replaced, and does not count", async () => {
  const podFailurePolicy = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [42] } }] };
  const fate = (_: unknown, attempt: number) => ({ exitCode: attempt <= 2 ? 42 : 0 });
  const bed = await start({ podFailurePolicy, backoffLimit: 0 }, { fate });
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  expect((await conditionsOf(bed)).at(-1)).toMatch(/^Complete /);
  const { succeeded, failed } = await statusOf(bed);
  expect({ succeeded, failed }).toEqual({ succeeded: 1, failed: undefined });
  expect((await podsOf(bed)).length).toBe(3);
});

test("a Job whose success policy is met deletes its other Pods, which do not count", async () => {
  const successPolicy = { rules: [{ succeededIndexes: "0" }] };
  const fate = (pod: Parameters<typeof completionIndex>[0]) => ({
    runMs: completionIndex(pod) === 0 ? 1000 : Infinity,
  });
  const bed = await start({ ...indexed, successPolicy }, { fate, stopMs: 5000 });
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  expect(await conditionsOf(bed)).toEqual([
    "SuccessCriteriaMet SuccessPolicy: Matched rules at index 0",
    "Complete SuccessPolicy: Matched rules at index 0",
  ]);
  const { succeeded, failed, completedIndexes } = await statusOf(bed);
  expect({ succeeded, failed, completedIndexes }).toEqual({
    succeeded: 1,
    failed: undefined,
    completedIndexes: "0",
  });
  expect(since(bed)).toBe(6000);
});

test.each([
  ["TerminatingOrFailed", 10_000],
  ["Failed", 15_000],
] as const)(
  "with podReplacementPolicy %s, a deleted Pod is replaced after %i ms",
  async (podReplacementPolicy, ms) => {
    const fate = (_: unknown, attempt: number) => ({ runMs: attempt === 1 ? Infinity : 1000 });
    const bed = await start({ podReplacementPolicy }, { fate, stopMs: 5000 });
    await bed.until(async () => (await statusOf(bed)).ready === 1);
    const [pod] = await podsOf(bed);
    await bed.client.of(pods, "default").delete(pod?.metadata.name ?? "");
    await bed.until(async () => (await statusOf(bed)).terminating === 1);
    await bed.until(async () =>
      (await podsOf(bed)).some(({ metadata }) => metadata.uid !== pod?.metadata.uid),
    );
    expect(since(bed)).toBeGreaterThanOrEqual(ms - 1000);
    expect(since(bed)).toBeLessThanOrEqual(ms + 1000);
    await bed.until(finished(bed));
    expect(bed.complaints).toEqual([]);
    expect(await statusOf(bed)).toMatchObject({ succeeded: 1, failed: 1, terminating: 0 });
  },
);

test("containers that restart in their Pod use up the retries", async () => {
  const onFailure = { spec: { ...template.spec, restartPolicy: "OnFailure" as const } };
  const bed = await start({ template: onFailure, backoffLimit: 2 }, { fate: () => ({ runMs: Infinity }) });
  await bed.until(async () => (await statusOf(bed)).ready === 1);
  const restart = async (restartCount: number) => {
    const [pod] = await podsOf(bed);
    if (pod === undefined) return;
    const status = {
      name: "main",
      state: {},
      lastState: {},
      ready: true,
      restartCount,
      image: "",
      imageID: "",
    };
    await bed.client
      .of(pods, "default")
      .updateStatus({ ...pod, status: { ...pod.status, containerStatuses: [status] } });
    await bed.clock.settle();
  };
  await restart(1);
  expect(await conditionsOf(bed)).toEqual([]);
  await restart(2);
  await bed.until(finished(bed));
  expect(bed.complaints).toEqual([]);
  expect((await conditionsOf(bed)).at(-1)).toBe(
    "Failed BackoffLimitExceeded: Job has reached the specified backoff limit",
  );
});
