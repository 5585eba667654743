import { expect, test } from "vitest";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { ttlAfterFinishedController } from "./controller.ts";

const template = {
  spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "main:1" }] },
};

async function finishedJob({ client, clock }: Testbed, ttlSecondsAfterFinished: number): Promise<Job> {
  const own = client.of(jobs, "default");
  const job = await own.create({ metadata: { name: "work" }, spec: { template, ttlSecondsAfterFinished } });
  const time = formatTime(clock.now());
  const condition = { status: "True", lastProbeTime: time, lastTransitionTime: time };
  return own.updateStatus({
    ...job,
    status: {
      startTime: time,
      completionTime: time,
      uncountedTerminatedPods: {},
      conditions: [
        { type: "SuccessCriteriaMet", ...condition },
        { type: "Complete", ...condition },
      ],
    },
  });
}

const isDeleted =
  ({ client }: Testbed) =>
  async () =>
    (await client.of(jobs, "default").list()).items.every(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );

test("a finished Job is deleted in the foreground after its time to live", async () => {
  const bed = await startTestbed(() => [ttlAfterFinishedController()]);
  await finishedJob(bed, 100);
  await bed.clock.advance(99_000);
  expect(await isDeleted(bed)()).toBe(false);
  await bed.until(isDeleted(bed));
  expect(bed.clock.now()).toBe(Date.parse("2026-01-01T00:01:40Z"));
  const [job] = (await bed.client.of(jobs, "default").list()).items;
  expect(job?.metadata.finalizers).toEqual(["foregroundDeletion"]);
  expect(bed.complaints).toEqual([]);
});

test("a longer time to live that the cache does not show yet still counts", async () => {
  const bed = await startTestbed(() => [ttlAfterFinishedController()], { lagMs: () => 20_000 });
  await finishedJob(bed, 100);
  await bed.clock.advance(90_000);
  await bed.client
    .of(jobs, "default")
    .patch("work", { spec: { ttlSecondsAfterFinished: 200 } }, { type: "merge" });
  await bed.clock.advance(15_000);
  expect(await isDeleted(bed)()).toBe(false);
  await bed.until(isDeleted(bed));
  expect(bed.clock.now()).toBe(Date.parse("2026-01-01T00:03:20Z"));
});
