import { expect, test } from "vitest";
import { cronJobs } from "../../api/batch/cron-job/schema.ts";
import { jobs } from "../../api/batch/job/schema.ts";
import { ascending } from "../../util/compare.ts";
import { jobController } from "../job/controller.ts";
import { jobNodes, type JobNodeOptions } from "../job/job-nodes.suite.ts";
import { orphanedPodController } from "../job/orphans.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { cronJobController } from "./controller.ts";

async function start(nodes: JobNodeOptions = {}, lagMs?: (plural: string) => number): Promise<Testbed> {
  const bed = await startTestbed(
    ({ clock }) => [cronJobController(), jobController(clock), orphanedPodController()],
    lagMs === undefined ? {} : { lagMs },
  );
  bed.runAsAdmin(jobNodes(bed.env, nodes));
  return bed;
}

const template = {
  spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "main:1" }] },
};
const create = ({ client }: Testbed, spec: object = {}) =>
  client.of(cronJobs, "default").create({
    metadata: { name: "work" },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template } }, ...spec },
  });
const statusOf = async ({ client }: Testbed) => (await client.of(cronJobs, "default").get("work")).status;
const jobsOf = async ({ client }: Testbed) => (await client.of(jobs, "default").list()).items;
const namesOf = async (bed: Testbed) =>
  (await jobsOf(bed)).map(({ metadata }) => metadata.name ?? "").toSorted(ascending);
const minute = 60_000;
/** The minutes since the epoch at the start. */
const first = Date.UTC(2026, 0, 1) / minute;
const name = (minutes: number) => `work-${first + minutes}`;

test("a CronJob starts a Job each minute, follows it, and keeps the last successful ones", async () => {
  const bed = await start();
  await create(bed);
  await bed.clock.advance(6.5 * minute);
  expect(await namesOf(bed)).toEqual([4, 5, 6].map(name));
  const [job] = await jobsOf(bed);
  expect(job?.metadata.ownerReferences).toMatchObject([
    { apiVersion: "batch/v1", kind: "CronJob", name: "work", controller: true },
  ]);
  expect(await statusOf(bed)).toEqual({
    lastScheduleTime: "2026-01-01T00:06:00Z",
    lastSuccessfulTime: "2026-01-01T00:06:01Z",
  });
  expect((await bed.eventsOf("work")).slice(0, 3)).toEqual([
    `SuccessfulCreate: Created job ${name(1)}`,
    `SawCompletedJob: Saw completed job: ${name(1)}, condition: Complete`,
    `SuccessfulCreate: Created job ${name(2)}`,
  ]);
  expect(await bed.eventsOf("work")).toContain(`SuccessfulDelete: Deleted job ${name(1)}`);
  expect(bed.complaints).toEqual([]);
});

test("a CronJob starts each Job once even while its cache is stale", async () => {
  const bed = await start({ fate: () => ({ runMs: 150_000 }) }, (plural) =>
    plural === "cronjobs" ? 5000 : 500,
  );
  await create(bed);
  await bed.clock.advance(3.9 * minute);
  expect(await namesOf(bed)).toEqual([1, 2, 3].map(name));
  expect((await statusOf(bed)).active?.map((one) => one.name)).toEqual([2, 3].map(name));
  expect((await bed.eventsOf("work")).filter((text) => /UnexpectedJob|MissingJob/.test(text))).toEqual([]);
});

test.each([
  ["Allow", [1, 2, 3], [1, 2, 3]],
  ["Forbid", [1], [1]],
  ["Replace", [3], [3]],
] as const)("with the concurrency policy %s, long Jobs are %j", async (concurrencyPolicy, all, active) => {
  const bed = await start({ fate: () => ({ runMs: Infinity }) });
  await create(bed, { concurrencyPolicy });
  await bed.clock.advance(3.5 * minute);
  expect(await namesOf(bed)).toEqual(all.map(name));
  expect((await statusOf(bed)).active?.map((one) => one.name)).toEqual(active.map(name));
});

test("a Job that is gone leaves the active list", async () => {
  const bed = await start({ fate: () => ({ runMs: Infinity }) });
  await create(bed, { schedule: "1 * * * *" });
  await bed.until(async () => (await statusOf(bed)).active?.length === 1);
  await bed.client.of(jobs, "default").delete(name(1), { propagationPolicy: "Background" });
  await bed.until(async () => (await statusOf(bed)).active === undefined);
  expect(await bed.eventsOf("work")).toContain(`MissingJob: Active job went missing: ${name(1)}`);
});

test("a suspended CronJob starts nothing, and makes up for one start when it is resumed", async () => {
  const bed = await start();
  await create(bed, { suspend: true });
  await bed.clock.advance(5.5 * minute);
  expect(await namesOf(bed)).toEqual([]);
  await bed.client.of(cronJobs, "default").patch("work", { spec: { suspend: false } }, { type: "merge" });
  await bed.clock.settle();
  expect(await namesOf(bed)).toEqual([name(5)]);
});

test("a new schedule starts no Job for the past", async () => {
  const bed = await start();
  await create(bed, { schedule: "0 5 * * *" });
  await bed.clock.advance(10.5 * minute);
  await bed.client
    .of(cronJobs, "default")
    .patch("work", { spec: { schedule: "*/10 * * * *" } }, { type: "merge" });
  await bed.clock.advance(minute);
  expect(await namesOf(bed)).toEqual([]);
  await bed.clock.advance(9 * minute);
  expect(await namesOf(bed)).toEqual([name(20)]);
});
