import { expect, test } from "vitest";
import { deployments } from "../../api/apps/deployment/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { replicaSetController } from "../replica-set/controller.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { deploymentController } from "./controller.ts";

const selector = { matchLabels: { app: "web" } };
const start = (options = {}) =>
  startTestbed((env) => [deploymentController(), replicaSetController(env.clock)], options);
const create = ({ client }: Testbed, spec: object = {}) =>
  client
    .of(deployments, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template, ...spec } });
const get = ({ client }: Testbed) => client.of(deployments, "default").get("web");
const sets = async ({ client }: Testbed) => (await client.of(replicaSets, "default").list()).items;
const setImage = ({ client }: Testbed, image: string) =>
  client
    .of(deployments, "default")
    .patch(
      "web",
      { spec: { template: { spec: { containers: [{ name: "web", image }] } } } },
      { type: "strategic" },
    );
const complete = (bed: Testbed) =>
  bed.until(async () => {
    const { metadata, spec, status } = await get(bed);
    const counts = [status.updatedReplicas, status.replicas, status.availableReplicas];
    return status.observedGeneration === metadata.generation && counts.every((one) => one === spec.replicas);
  });

test("a Deployment rolls a new template out within its bounds, and back again", async () => {
  const bed = await start({ lagMs: () => 30 });
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 2000, stopMs: 1000 }));
  await create(bed, { replicas: 4 });
  await complete(bed);
  const first = (await sets(bed))[0]?.metadata.name ?? "";
  expect(first).toMatch(/^web-[a-z0-9]+$/);
  await setImage(bed, "web:2");
  await bed.until(async () => {
    const all = (await bed.client.of(pods, "default").list()).items;
    const active = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ready = active.filter(({ status }) =>
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    expect(active.length).toBeLessThanOrEqual(5);
    expect(ready.length).toBeGreaterThanOrEqual(3);
    return (await get(bed)).status.updatedReplicas === 4 && active.length === 4;
  });
  await complete(bed);
  const second = (await sets(bed)).find(({ metadata }) => metadata.name !== first)?.metadata.name ?? "";
  const told = await bed.eventsOf("web");
  expect(told).toContain(`ScalingReplicaSet: Scaled up replica set ${first} from 0 to 4`);
  expect(told).toContain(`ScalingReplicaSet: Scaled up replica set ${second} from 0 to 1`);
  expect(told.some((text) => /Scaled down replica set web-\w+ from 1 to 0$/.test(text))).toBe(true);
  await setImage(bed, "web:1");
  await complete(bed);
  const after = await sets(bed);
  expect(after.length).toBe(2);
  expect(after.find(({ metadata }) => metadata.name === first)?.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "3",
    "deployment.kubernetes.io/revision-history": "1",
  });
});

test("Recreate waits until the last old Pod is gone", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 1000, stopMs: 20_000 }));
  await create(bed, { strategy: { type: "Recreate" } });
  await complete(bed);
  await setImage(bed, "web:2");
  await bed.until(async () => {
    const images = (await bed.client.of(pods, "default").list()).items.map(
      (pod) => pod.spec.containers[0]?.image,
    );
    expect(new Set(images).size).toBeLessThanOrEqual(1);
    return images[0] === "web:2";
  });
  await complete(bed);
});

test("a rollout that does not come up fails after its deadline without anything happening", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env, { ready: () => false }));
  await create(bed, { progressDeadlineSeconds: 100 });
  const began = bed.clock.now();
  await bed.until(async () => {
    const conditions = (await get(bed)).status.conditions ?? [];
    return conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
  });
  expect(bed.clock.now() - began).toBeGreaterThan(100_000);
  expect(bed.clock.now() - began).toBeLessThan(105_000);
});

test("a name that another owner's ReplicaSet has is avoided by another hash", async () => {
  const bed = await start();
  await create(bed, { paused: true });
  await bed.clock.settle();
  const { name } = await probeName();
  await bed.client.of(replicaSets, "default").create({
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "else" } },
      template: { ...template, metadata: { labels: { app: "else" } } },
    },
  });
  await bed.client.of(deployments, "default").patch("web", { spec: { paused: false } }, { type: "merge" });
  await bed.until(async () => (await get(bed)).status.replicas === 3);
  expect((await get(bed)).status.collisionCount).toBe(1);
  expect((await sets(bed)).length).toBe(2);
});

/** The name of the Deployment's first ReplicaSet, which depends on nothing but the template. */
async function probeName() {
  const bed = await start();
  await create(bed);
  await bed.until(async () => (await sets(bed)).length === 1);
  return { name: (await sets(bed))[0]?.metadata.name ?? "" };
}
