import { expect, test } from "vitest";
import { customResourceDefinitions } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { deployments } from "../../api/apps/deployment/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { replicationControllers } from "../../api/core/replication-controller/schema.ts";
import { podDisruptionBudgets } from "../../api/policy/pod-disruption-budget/schema.ts";
import { hasReason } from "../../meta/status.ts";
import type { Controller } from "../../operator/controller.ts";
import type { Env } from "../../util/env.ts";
import { template } from "../builders.suite.ts";
import { deploymentController } from "../deployment/controller.ts";
import { replicaSetController } from "../replica-set/controller.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { disruptionController } from "./controller.ts";
import { disruptedPodController } from "./pods.ts";

const selector = { matchLabels: { app: "web" } };
const start = (more: (env: Env) => readonly Controller[] = () => []) =>
  startTestbed((env) => [disruptionController(), disruptedPodController(), ...more(env)]);
const makeBudget = ({ client }: Testbed, spec: object, name = "web") =>
  client.of(podDisruptionBudgets, "default").create({ metadata: { name }, spec: { selector, ...spec } });
const statusOf = async ({ client }: Testbed) =>
  (await client.of(podDisruptionBudgets, "default").get("web")).status;
const owned = (name: string, owner?: Referred) => ({
  name,
  labels: { app: "web" },
  ...(owner === undefined ? {} : { ownerReferences: [{ ...reference(owner), controller: true }] }),
});
const makePod = ({ client }: Testbed, name: string, owner?: Referred) =>
  client.of(pods, "default").create({ metadata: owned(name, owner), spec: template.spec });
const evict = ({ client }: Testbed, name: string) =>
  client.of(pods, "default").subresource(name, "eviction").create({ kind: "Eviction", metadata: { name } });

interface Referred {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly uid?: string };
}
function reference({ apiVersion = "", kind = "", metadata: { name = "", uid = "" } }: Referred) {
  return { apiVersion, kind, name, uid };
}

const failed = async (bed: Testbed) => (await statusOf(bed)).conditions?.[0]?.reason === "SyncFailed";

test("a Deployment's Pods are evicted no faster than its budget allows", async () => {
  const bed = await start(({ clock }) => [deploymentController(), replicaSetController(clock)]);
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 5000 }));
  await bed.client
    .of(deployments, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template } });
  await makeBudget(bed, { maxUnavailable: "34%" });
  await bed.until(async () => (await statusOf(bed)).disruptionsAllowed === 2);
  expect(await statusOf(bed)).toMatchObject({ expectedPods: 3, currentHealthy: 3, desiredHealthy: 1 });
  const names = (await bed.client.of(pods, "default").list()).items.map(
    ({ metadata }) => metadata.name ?? "",
  );
  const answers = await Promise.allSettled(names.map((name) => evict(bed, name)));
  const refused = answers.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(1);
  expect(hasReason(refused[0], "TooManyRequests")).toBe(true);
  await bed.until(async () => (await statusOf(bed)).disruptionsAllowed === 2);
  expect(await statusOf(bed)).not.toHaveProperty("disruptedPods");
  expect(bed.complaints).toEqual([]);
});

test("a Deployment counts once, however many ReplicaSets it has", async () => {
  const bed = await start();
  const { client } = bed;
  const owner = await client
    .of(deployments, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 5, selector, template } });
  for (const name of ["old", "new"]) {
    const spec = { replicas: 2, selector, template };
    await makePod(
      bed,
      name,
      await client.of(replicaSets, "default").create({ metadata: owned(name, owner), spec }),
    );
  }
  await makeBudget(bed, { maxUnavailable: 1 });
  await bed.until(async () => (await statusOf(bed)).desiredHealthy > 0);
  expect(await statusOf(bed)).toMatchObject({ expectedPods: 5, desiredHealthy: 4 });
});

test("a ReplicationController's replicas count, and unmanaged Pods cause an Event", async () => {
  const bed = await start();
  const owner = await bed.client
    .of(replicationControllers, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 4, selector: { app: "web" }, template } });
  await makePod(bed, "a", owner);
  await makePod(bed, "b");
  await makeBudget(bed, { minAvailable: "50%" });
  await bed.until(async () => (await statusOf(bed)).expectedPods === 4);
  expect(await statusOf(bed)).toMatchObject({ desiredHealthy: 2, disruptionsAllowed: 0 });
  await bed.until(async () => (await bed.eventsOf("web")).some((text) => text.startsWith("UnmanagedPods: ")));
});

test("a custom resource's replicas are read through its scale; one without scale allows no disruption", async () => {
  const bed = await start();
  const { client } = bed;
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const define = (plural: string, kind: string, subresources: object) =>
    client.of(customResourceDefinitions).create({
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources }],
      },
    });
  await define("packs", "Pack", { scale });
  await define("lumps", "Lump", {});
  await bed.clock.advance(60_000);
  const make = (plural: string, kind: string) => {
    const ref = { group: "example.com", version: "v1", plural, kind, namespaced: true };
    return client.resource(ref, "default").create({ metadata: { name: "web" }, spec: { replicas: 6 } });
  };
  await makePod(bed, "a", await make("packs", "Pack"));
  await makeBudget(bed, { maxUnavailable: 2 });
  await bed.until(async () => (await statusOf(bed)).expectedPods === 6);
  expect(await statusOf(bed)).toMatchObject({ desiredHealthy: 4 });
  await makePod(bed, "b", await make("lumps", "Lump"));
  await bed.until(() => failed(bed));
  const why = "lumps.example.com does not implement the scale subresource";
  expect((await statusOf(bed)).conditions).toMatchObject([{ status: "False", message: why }]);
  const told = `CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${why}`;
  await bed.until(async () => (await bed.eventsOf("web")).includes(told));
});

test.each([
  [{ kind: "ReplicaSet", apiVersion: "apps/v1" }, 'found no controllers for pod "a"'],
  [
    { kind: "Ghost", apiVersion: "example.com/v1" },
    'no matches for kind "Ghost" in version "example.com/v1"',
  ],
])("a Pod whose controller %j does not exist fails its budget", async (owner, why) => {
  const bed = await start();
  await makePod(bed, "a", { ...owner, metadata: { name: "ghost", uid: "ghost" } });
  await makeBudget(bed, { maxUnavailable: 1 });
  await bed.until(() => failed(bed));
  expect((await statusOf(bed)).conditions).toMatchObject([{ message: why }]);
});

test("a granted eviction without a deletion expires, in the budget and in the Pod", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env));
  await makePod(bed, "a");
  await makeBudget(bed, { minAvailable: 0 });
  await bed.until(async () => (await statusOf(bed)).disruptionsAllowed === 1);
  const time = new Date(bed.clock.now()).toISOString();
  const budget = await bed.client.of(podDisruptionBudgets, "default").get("web");
  const status = { ...budget.status, disruptionsAllowed: 0, disruptedPods: { a: time } };
  await bed.client.of(podDisruptionBudgets).updateStatus({ ...budget, status });
  const conditions = [{ type: "DisruptionTarget", status: "True", lastTransitionTime: time }];
  const options = { type: "strategic", subresource: "status" } as const;
  await bed.client.of(pods, "default").patch("a", { status: { conditions } }, options);
  await bed.clock.advance(119_000);
  expect(await statusOf(bed)).toMatchObject({
    disruptionsAllowed: 0,
    disruptedPods: { a: expect.any(String) },
  });
  await bed.until(async () => (await statusOf(bed)).disruptionsAllowed === 1);
  expect(await statusOf(bed)).not.toHaveProperty("disruptedPods");
  const target = async () =>
    (await bed.client.of(pods, "default").get("a")).status.conditions?.find(
      ({ type }) => type === "DisruptionTarget",
    );
  await bed.until(async () => (await target())?.status === "False");
  expect(await target()).not.toHaveProperty("reason");
  await bed.until(async () => (await bed.eventsOf("a")).length > 0);
  expect(await bed.eventsOf("a")).toEqual([
    "NotDeleted: Pod was expected by PDB default/web to be deleted but it wasn't",
  ]);
});

test("a budget without Pods and a Pod with two budgets cause Events", async () => {
  const bed = await start();
  await makeBudget(bed, { minAvailable: 1 });
  await bed.until(async () => (await bed.eventsOf("web")).includes("NoPods: No matching pods found"));
  expect(await statusOf(bed)).toMatchObject({
    observedGeneration: 1,
    disruptionsAllowed: 0,
    expectedPods: 0,
  });
  await makeBudget(bed, { minAvailable: 1 }, "other");
  await makePod(bed, "a");
  await bed.until(async () => (await bed.eventsOf("a")).length > 0);
  expect((await bed.eventsOf("a"))[0]).toMatch(
    /^MultiplePodDisruptionBudgets: Pod "default"\/"a" matches multiple PodDisruptionBudgets\. {2}Chose "\w+" arbitrarily\.$/,
  );
});
