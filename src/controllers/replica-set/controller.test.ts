import { expect, test } from "vitest";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { replicaSetController } from "./controller.ts";

const start = () => startTestbed((env) => [replicaSetController(env.clock)]);
const selector = { matchLabels: { app: "web" } };

const create = ({ client }: Testbed, spec: object = {}) =>
  client
    .of(replicaSets, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template, ...spec } });
const get = ({ client }: Testbed) => client.of(replicaSets, "default").get("web");
const podsOf = async ({ client }: Testbed) => (await client.of(pods, "default").list()).items;

test("a ReplicaSet creates its Pods, replaces a lost one and follows its scale", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env));
  await create(bed);
  await bed.until(async () => (await get(bed)).status.availableReplicas === 3);
  expect((await get(bed)).status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });
  const [lost] = await podsOf(bed);
  expect(lost?.metadata.generateName).toBe("web-");
  expect(lost?.metadata.ownerReferences).toMatchObject([
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", controller: true, blockOwnerDeletion: true },
  ]);
  await bed.client.of(pods, "default").delete(lost?.metadata.name ?? "");
  await bed.until(async () => {
    const all = await podsOf(bed);
    return all.length === 3 && all.every(({ metadata }) => metadata.uid !== lost?.metadata.uid);
  });
  await bed.client.of(replicaSets, "default").patch("web", { spec: { replicas: 1 } }, { type: "merge" });
  await bed.until(async () => (await podsOf(bed)).length === 1);
  await bed.until(async () => (await get(bed)).status.observedGeneration === 2);
  const told = await bed.eventsOf("web");
  expect(told.filter((text) => /^SuccessfulCreate: Created pod: web-[a-z0-9]{5}$/.test(text)).length).toBe(4);
  expect(told.filter((text) => /^SuccessfulDelete: Deleted pod: web-[a-z0-9]{5}$/.test(text)).length).toBe(2);
  expect(bed.complaints).toEqual([]);
});

test("a ReplicaSet never has more Pods than desired, even while its cache is stale", async () => {
  const bed = await startTestbed((env) => [replicaSetController(env.clock)], {
    lagMs: (plural) => (plural === "pods" ? 700 : 0),
  });
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 1000, stopMs: 5000 }));
  await create(bed, { replicas: 20 });
  await bed.until(async () => {
    const active = (await podsOf(bed)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(active.length).toBeLessThanOrEqual(20);
    return (await get(bed)).status.readyReplicas === 20;
  });
  await bed.client.of(replicaSets, "default").patch("web", { spec: { replicas: 5 } }, { type: "merge" });
  await bed.until(async () => (await get(bed)).status.terminatingReplicas === 15);
  await bed.until(async () => (await get(bed)).status.terminatingReplicas === 0);
  expect((await podsOf(bed)).length).toBe(5);
});

test("a ReplicaSet adopts orphans that it selects, and releases Pods that it no longer selects", async () => {
  const bed = await start();
  await bed.client
    .of(pods, "default")
    .create({ metadata: { name: "orphan", labels: { app: "web" } }, spec: template.spec });
  await create(bed, { replicas: 2 });
  await bed.until(async () => (await get(bed)).status.replicas === 2);
  const orphan = () => bed.client.of(pods, "default").get("orphan");
  expect((await orphan()).metadata.ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "web" }]);
  expect((await podsOf(bed)).length).toBe(2);
  await bed.client
    .of(pods, "default")
    .patch("orphan", { metadata: { labels: { app: "other" } } }, { type: "merge" });
  await bed.until(async () => (await podsOf(bed)).length === 3);
  expect((await orphan()).metadata.ownerReferences ?? []).toEqual([]);
});

test("a Pod counts as available once it has been ready for minReadySeconds, and not before", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env));
  await create(bed, { replicas: 1, minReadySeconds: 30 });
  await bed.until(async () => (await get(bed)).status.readyReplicas === 1);
  const readyAt = bed.clock.now();
  expect((await get(bed)).status.availableReplicas).toBeUndefined();
  await bed.until(async () => (await get(bed)).status.availableReplicas === 1);
  expect(bed.clock.now() - readyAt).toBe(30_000);
});

test("refused Pods are reported as a condition and in few Events", async () => {
  const bed = await start();
  const bad = { ...template, spec: { ...template.spec, serviceAccountName: "missing" } };
  await create(bed, { replicas: 100, template: bad });
  await bed.until(async () => ((await get(bed)).status.conditions ?? []).length > 0);
  const why = 'error looking up service account default/missing: serviceaccount "missing" not found';
  expect((await get(bed)).status.conditions).toMatchObject([
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: expect.stringContaining(why) },
  ]);
  await bed.clock.advance(1000);
  const told = await bed.eventsOf("web");
  expect(told.length).toBeLessThan(12);
  for (const text of told) expect(text).toMatch(/FailedCreate: .*Error creating: pods "web-/);
});
