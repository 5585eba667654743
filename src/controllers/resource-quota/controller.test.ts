import { expect, test } from "vitest";
import { customResourceDefinitions } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { resourceQuotas } from "../../api/core/resource-quota/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { template } from "../builders.suite.ts";
import { replicaSetController } from "../replica-set/controller.ts";
import { pretendNodes, startTestbed, type Testbed, type TestbedOptions } from "../testbed.suite.ts";
import { resourceQuotaController } from "./controller.ts";

type Amounts = Readonly<Record<string, string>>;

const start = (options: TestbedOptions = {}) =>
  startTestbed(({ clock }) => [resourceQuotaController(clock), replicaSetController(clock)], options);
const limit = ({ client }: Testbed, hard: Amounts, spec: object = {}, name = "q") =>
  client.of(resourceQuotas, "default").create({ metadata: { name }, spec: { hard, ...spec } });
const statusOf = async ({ client }: Testbed, name = "q") =>
  (await client.of(resourceQuotas, "default").get(name)).status;
const makePod = ({ client }: Testbed, name: string, spec: object = {}) =>
  client.of(pods, "default").create({
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "example.com/c", resources: { requests: { cpu: "1" } } }],
      ...spec,
    },
  });
const makeMap = ({ client }: Testbed, name: string) =>
  client.of(configMaps, "default").create({ metadata: { name } });

/** Waits until the recorded usage is this one. */
const untilUsed = (bed: Testbed, used: Amounts, limitMs?: number) =>
  bed.until(async () => {
    const now = await statusOf(bed);
    return JSON.stringify(now.used ?? {}) === JSON.stringify(used);
  }, limitMs);

test("a quota's usage is counted when the quota is created and when its limits change", async () => {
  const bed = await start();
  await makePod(bed, "a");
  await makeMap(bed, "m");
  const made = await limit(bed, { "requests.cpu": "5", pods: "3", configmaps: "9" });
  await untilUsed(bed, { configmaps: "1", pods: "1", "requests.cpu": "1" }, 1000);
  expect((await statusOf(bed)).hard).toEqual({ configmaps: "9", pods: "3", "requests.cpu": "5" });
  const client = bed.client.of(resourceQuotas, "default");
  await client.patch(
    "q",
    { spec: { hard: { ...made.spec.hard, pods: null, "count/pods": "4" } } },
    { type: "merge" },
  );
  await untilUsed(bed, { configmaps: "1", "count/pods": "1", "requests.cpu": "1" }, 1000);
  expect(bed.complaints).toEqual([]);
});

test("usage is replenished when objects are deleted and when Pods end", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env));
  await limit(bed, { pods: "9", "count/pods": "9", configmaps: "9", services: "9" });
  const none = { configmaps: "0", "count/pods": "0", pods: "0", services: "0" };
  await untilUsed(bed, none);
  for (const name of ["a", "b"]) await makePod(bed, name);
  await makeMap(bed, "m");
  const { client } = bed;
  await client.of(services, "default").create({ metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  await untilUsed(bed, { configmaps: "1", "count/pods": "2", pods: "2", services: "1" });
  /** The check after a lowered usage is over. */
  const rest = () => bed.clock.advance(2_000);
  await client.of(configMaps, "default").delete("m");
  await untilUsed(bed, { configmaps: "0", "count/pods": "2", pods: "2", services: "1" }, 1000);
  await rest();
  const pod = await client.of(pods, "default").get("a");
  await client.of(pods, "default").updateStatus({ ...pod, status: { ...pod.status, phase: "Succeeded" } });
  await untilUsed(bed, { configmaps: "0", "count/pods": "2", pods: "1", services: "1" }, 1000);
  await rest();
  for (const name of ["a", "b"]) await client.of(pods, "default").delete(name, { gracePeriodSeconds: 0 });
  await untilUsed(bed, { configmaps: "0", "count/pods": "0", pods: "0", services: "1" }, 500);
  await rest();
  await client.of(services, "default").delete("s");
  await untilUsed(bed, none, 500);
});

test("scopes select the Pods that count", async () => {
  const bed = await start();
  await makePod(bed, "a");
  await makePod(bed, "b", { activeDeadlineSeconds: 60 });
  await limit(bed, { pods: "9" }, { scopes: ["Terminating"] });
  await limit(bed, { "requests.cpu": "9" }, { scopes: ["NotTerminating", "NotBestEffort"] }, "other");
  await untilUsed(bed, { pods: "1" });
  expect((await statusOf(bed, "other")).used).toEqual({ "requests.cpu": "1" });
});

test("a claim's storage counts by its class", async () => {
  const bed = await start();
  const resource = "gold.storageclass.storage.k8s.io/requests.storage";
  await limit(bed, { [resource]: "9Gi", "requests.storage": "9Gi" });
  await untilUsed(bed, { [resource]: "0", "requests.storage": "0" });
  await bed.client.of(persistentVolumeClaims, "default").create({
    metadata: { name: "c" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "gold",
      resources: { requests: { storage: "2Gi" } },
    },
  });
  await untilUsed(bed, { [resource]: "2Gi", "requests.storage": "2Gi" });
});

test("custom resources count once they are served, and no longer when deleted", async () => {
  const bed = await start();
  await limit(bed, { "count/boats.example.com": "1", configmaps: "1" });
  await untilUsed(bed, { configmaps: "0" });
  const schema = { openAPIV3Schema: { type: "object" } };
  await bed.client.of(customResourceDefinitions).create({
    metadata: { name: "boats.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boats", kind: "Boat" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await untilUsed(bed, { configmaps: "0", "count/boats.example.com": "0" }, 60_000);
  const ref = { group: "example.com", version: "v1", plural: "boats", kind: "Boat", namespaced: true };
  const boats = bed.client.resource(ref, "default");
  await boats.create({ metadata: { name: "a" } });
  const second: unknown = await boats.create({ metadata: { name: "b" } }).catch((error: unknown) => error);
  expect(hasReason(second, "Forbidden")).toBe(true);
  await boats.delete("a");
  await untilUsed(bed, { configmaps: "0", "count/boats.example.com": "0" }, 1000);
});

test("a reservation of a failed create comes back within the resync period", async () => {
  const bed = await start();
  await limit(bed, { configmaps: "9" });
  await untilUsed(bed, { configmaps: "0" });
  await makeMap(bed, "m");
  await expect(makeMap(bed, "m")).rejects.toThrow("already exists");
  expect((await statusOf(bed)).used).toEqual({ configmaps: "2" });
  await untilUsed(bed, { configmaps: "1" }, 5 * 60_000);
});

test("a Pod that the cache lacks during a recount counts soon after", async () => {
  const bed = await start({ lagMs: (plural) => (plural === "pods" ? 500 : 0) });
  await limit(bed, { pods: "9" });
  await untilUsed(bed, { pods: "0" });
  await makePod(bed, "a");
  await bed.clock.advance(5_000);
  await bed.client.of(pods, "default").delete("a", { gracePeriodSeconds: 0 });
  await bed.clock.advance(400);
  await makePod(bed, "b");
  expect((await statusOf(bed)).used).toEqual({ pods: "2" });
  await bed.clock.advance(200);
  expect((await statusOf(bed)).used).toEqual({ pods: "0" });
  await untilUsed(bed, { pods: "1" }, 5_000);
});

test("a create does not cause a recount", async () => {
  const bed = await start();
  await limit(bed, { configmaps: "9" });
  await untilUsed(bed, { configmaps: "0" });
  const quota = await bed.client.of(resourceQuotas, "default").get("q");
  const status = { ...quota.status, used: { configmaps: "4" } };
  await bed.client.of(resourceQuotas, "default").updateStatus({ ...quota, status });
  await makeMap(bed, "m");
  await bed.clock.advance(60_000);
  expect((await statusOf(bed)).used).toEqual({ configmaps: "5" });
});

test("a ReplicaSet gets only the Pods that fit, and the rest when the quota grows", async () => {
  const bed = await start();
  bed.runAsAdmin(pretendNodes(bed.env));
  await limit(bed, { pods: "2" });
  await untilUsed(bed, { pods: "0" });
  const selector = { matchLabels: { app: "web" } };
  await bed.client
    .of(replicaSets, "default")
    .create({ metadata: { name: "web" }, spec: { replicas: 4, selector, template } });
  await untilUsed(bed, { pods: "2" });
  await bed.until(async () => (await bed.eventsOf("web")).some((text) => text.includes("exceeded quota: q")));
  const patch = { spec: { hard: { pods: "4" } } };
  await bed.client.of(resourceQuotas, "default").patch("q", patch, { type: "merge" });
  await bed.until(async () => (await bed.client.of(pods, "default").list()).items.length === 4);
  expect((await statusOf(bed)).used).toEqual({ pods: "4" });
});
