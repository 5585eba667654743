import { afterEach, expect, test } from "vitest";
import { deployments } from "../../src/api/apps/deployment/schema.ts";
import { events } from "../../src/api/core/event/schema.ts";
import { nodes } from "../../src/api/core/node/schema.ts";
import { type Pod, pods } from "../../src/api/core/pod/schema.ts";
import { deviceClasses } from "../../src/api/resource/device-class/schema.ts";
import { resourceClaimTemplates } from "../../src/api/resource/resource-claim-template/schema.ts";
import { resourceClaims } from "../../src/api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../src/api/resource/resource-slice/schema.ts";
import type { Client } from "../../src/client/client.ts";
import { startCluster, type TestCluster, VirtualClock } from "../../src/testing/index.ts";

const driver = "gpu.example.com";
let cluster: TestCluster | undefined;
let clock = new VirtualClock();
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

/** A cluster whose nodes have so many devices each, half of them large. */
async function start(count: number, devices: number): Promise<TestCluster> {
  clock = new VirtualClock();
  const started = await startCluster({ nodes: count, clock });
  cluster = started;
  const { client, waitFor } = started;
  await waitFor(async () => {
    const { items } = await client.of(nodes).list();
    return items.length === count && items.every(({ spec }) => (spec.taints ?? []).length === 0);
  });
  const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
  await client.of(deviceClasses).create({ metadata: { name: "gpu" }, spec: { selectors } });
  for (let i = 1; i <= count; i += 1) await addSlice(client, `node-${i}`, devices);
  return started;
}

const addSlice = (client: Client, nodeName: string, count: number) =>
  client.of(resourceSlices).create({
    metadata: { name: `gpus-of-${nodeName}` },
    spec: {
      driver,
      pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
      nodeName,
      devices: Array.from({ length: count }, (_, i) => ({
        name: `gpu-${i}`,
        attributes: { isLarge: { bool: i % 2 === 0 } },
      })),
    },
  });

const addTemplate = (client: Client, exactly: object = {}) =>
  client.of(resourceClaimTemplates, "default").create({
    metadata: { name: "one-gpu" },
    spec: {
      spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu", ...exactly } }] } },
    },
  });

const podSpec = {
  containers: [{ name: "main", image: "train:1", resources: { claims: [{ name: "gpu" }] } }],
  resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one-gpu" }],
};

const addDeployment = (client: Client, replicas: number) =>
  client.of(deployments, "default").create({
    metadata: { name: "train" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "train" } },
      template: { metadata: { labels: { app: "train" } }, spec: podSpec },
    },
  });

const podsOf = async (client: Client) => (await client.of(pods, "default").list()).items;
const claimsOf = async (client: Client) => (await client.of(resourceClaims, "default").list()).items;
const running = async (client: Client) =>
  (await podsOf(client)).filter(({ status }) => status.phase === "Running");

/** The devices of all claims, as `pool/device`. */
const devicesOf = async (client: Client) =>
  (await claimsOf(client)).flatMap(({ status }) =>
    (status.allocation?.devices.results ?? []).map(({ pool, device }) => `${pool}/${device}`),
  );
const why = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodScheduled")?.message;

test("every Pod of a Deployment gets a device of its own, on its node", async () => {
  const { client, waitFor } = await start(3, 4);
  await addTemplate(client);
  await addDeployment(client, 12);
  await waitFor(async () => (await running(client)).length === 12);
  const devices = await devicesOf(client);
  expect(devices).toHaveLength(12);
  expect(new Set(devices).size).toBe(12);
  for (const pod of await running(client)) {
    const claims = (await claimsOf(client)).filter(({ status }) =>
      status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid),
    );
    expect(claims.map(({ status }) => status.allocation?.devices.results?.[0]?.pool)).toEqual([
      pod.spec.nodeName,
    ]);
    expect(claims[0]?.metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  }
});

test("Pods without a free device wait, and get the devices of Pods that end", async () => {
  const { client, waitFor } = await start(2, 1);
  await addTemplate(client);
  await addDeployment(client, 3);
  const waiting = async () => (await podsOf(client)).filter((pod) => pod.spec.nodeName === undefined);
  await waitFor(async () => (await waiting()).length === 1 && why((await waiting())[0] as Pod) !== undefined);
  const [pending] = await waiting();
  expect(pending === undefined ? undefined : why(pending)).toBe(
    "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  );
  await client.of(deployments, "default").patch("train", { spec: { replicas: 1 } }, { type: "merge" });
  await waitFor(async () => (await podsOf(client)).length === 1 && (await running(client)).length === 1);
  await waitFor(async () => (await claimsOf(client)).length === 1);
  await client.of(deployments, "default").patch("train", { spec: { replicas: 2 } }, { type: "merge" });
  await waitFor(async () => (await running(client)).length === 2);
  expect(new Set(await devicesOf(client)).size).toBe(2);
});

test("a waiting Pod is scheduled when a Pod with a device ends", async () => {
  const { client, waitFor } = await start(1, 1);
  await addTemplate(client);
  const add = (name: string) => client.of(pods, "default").create({ metadata: { name }, spec: podSpec });
  await add("first");
  await waitFor(async () => (await running(client)).length === 1);
  await add("second");
  await waitFor(async () => why(await client.of(pods, "default").get("second")) !== undefined);
  await client.of(pods, "default").delete("first");
  await waitFor(async () => (await running(client)).some(({ metadata }) => metadata.name === "second"));
  expect(await devicesOf(client)).toEqual(["node-1/gpu-0"]);
});

test("a waiting Pod whose claim was made anew is scheduled when a device is free", async () => {
  const { client, waitFor } = await start(1, 1);
  await addTemplate(client);
  const own = client.of(pods, "default");
  await own.create({ metadata: { name: "first" }, spec: podSpec });
  await waitFor(async () => (await running(client)).length === 1);
  await own.create({ metadata: { name: "second" }, spec: podSpec });
  await waitFor(async () => why(await own.get("second")) !== undefined);
  const claimName = async () =>
    (await own.get("second")).status.resourceClaimStatuses?.[0]?.resourceClaimName;
  const before = (await claimName()) ?? "";
  await client.of(resourceClaims, "default").delete(before);
  await waitFor(async () => (await claimName()) !== before);
  await clock.advance(30_000);
  await own.delete("first");
  const since = clock.now();
  await waitFor(async () => (await running(client)).some(({ metadata }) => metadata.name === "second"));
  // Without a hint, the Pod would be tried again after five minutes.
  expect(clock.now() - since).toBeLessThan(120_000);
});

test("a Pod waits for its claim, its class and its devices, in turn", async () => {
  const { client, waitFor } = await start(1, 0);
  await client.of(deviceClasses).delete("gpu");
  const pod = {
    metadata: { name: "web" },
    spec: { ...podSpec, resourceClaims: [{ name: "gpu", resourceClaimName: "mine" }] },
  };
  await client.of(pods, "default").create(pod);
  await clock.advance(5000);
  expect(why(await client.of(pods, "default").get("web"))).toBeUndefined();
  const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] };
  await client.of(resourceClaims, "default").create({ metadata: { name: "mine" }, spec: { devices } });
  const message = async () => why(await client.of(pods, "default").get("web")) ?? "";
  await waitFor(async () => (await message()).includes("request gpu: device class gpu does not exist"));
  await client.of(deviceClasses).create({ metadata: { name: "gpu" }, spec: {} });
  await waitFor(async () => (await message()).includes("1 cannot allocate all claims"));
  await client.of(resourceSlices).delete("gpus-of-node-1");
  await addSlice(client, "node-1", 1);
  await waitFor(async () => (await running(client)).length === 1);
  expect(await devicesOf(client)).toEqual(["node-1/gpu-0"]);
});

test("Pods that share a claim run on its node, and free its device together", async () => {
  const { client, waitFor } = await start(3, 2);
  const expression = `device.attributes["${driver}"].isLarge`;
  const exactly = { deviceClassName: "gpu", selectors: [{ cel: { expression } }] };
  await client.of(resourceClaims, "default").create({
    metadata: { name: "shared" },
    spec: { devices: { requests: [{ name: "gpu", exactly }] } },
  });
  const spec = { ...podSpec, resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }] };
  for (const name of ["a", "b", "c"]) await client.of(pods, "default").create({ metadata: { name }, spec });
  await waitFor(async () => (await running(client)).length === 3);
  const [device] = await devicesOf(client);
  const used = new Set((await podsOf(client)).map((pod) => `${pod.spec.nodeName}/gpu-0`));
  expect([...used]).toEqual([device]);
  const [claim] = await claimsOf(client);
  expect(claim?.status.reservedFor).toHaveLength(3);
  await client.of(pods, "default").deleteCollection();
  await waitFor(async () => (await claimsOf(client))[0]?.status.allocation === undefined);
});

test("an expression that fails is reported", async () => {
  const { client, waitFor } = await start(1, 1);
  await addTemplate(client, {
    selectors: [{ cel: { expression: `device.attributes["${driver}"].absent` } }],
  });
  await addDeployment(client, 1);
  const messages = async () =>
    (await client.of(events, "default").list()).items.map((event) => event.message ?? "");
  await waitFor(async () =>
    (await messages()).some((text) => text.includes("CEL runtime error: no such key: absent")),
  );
});

/** Devices that a driver prepares before Pods are bound. */
const slowDevices = (client: Client) =>
  client.of(resourceSlices).create({
    metadata: { name: "slow" },
    spec: {
      driver,
      pool: { name: "fabric", generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: ["a", "b"].map((name) => ({
        name,
        bindsToNode: true,
        bindingConditions: ["Attached"],
        bindingFailureConditions: ["Broken"],
      })),
    },
  });

/** Plays the driver: reports a condition of the claim's device. */
async function report(client: Client, type: string): Promise<string> {
  const [claim] = await claimsOf(client);
  const [result] = claim?.status.allocation?.devices.results ?? [];
  if (claim === undefined || result === undefined) throw new Error("There is no allocated claim");
  const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
  const conditions = [
    { type, status: "True" as const, reason: "Reported", message: "now", lastTransitionTime },
  ];
  const devices = [{ driver, pool: "fabric", device: result.device, conditions }];
  await client.of(resourceClaims, "default").updateStatus({ ...claim, status: { ...claim.status, devices } });
  return result.device;
}

const isAllocated = async (client: Client) => (await devicesOf(client)).length === 1;

test("a Pod is bound when its device is prepared, and its claim is freed when that fails", async () => {
  const { client, waitFor } = await start(1, 0);
  await slowDevices(client);
  await addTemplate(client);
  await client.of(pods, "default").create({ metadata: { name: "web" }, spec: podSpec });
  await waitFor(() => isAllocated(client));
  await clock.advance(60_000);
  expect((await podsOf(client))[0]?.spec.nodeName).toBeUndefined();
  const told = (await client.of(events, "default").list()).items.map(
    (one) => `${one.reason}: ${one.message}`,
  );
  expect(told).toContain(
    "BindingConditionsPending: waiting for binding conditions for device on node node-1",
  );
  await report(client, "Broken");
  await waitFor(async () => (await claimsOf(client))[0]?.status.devices === undefined);
  await waitFor(() => isAllocated(client));
  await report(client, "Attached");
  await waitFor(async () => (await running(client)).length === 1);
  const [claim] = await claimsOf(client);
  expect(claim?.status.allocation?.nodeSelector?.nodeSelectorTerms[0]?.matchFields?.[0]?.values).toEqual([
    "node-1",
  ]);
});

test("a preparation that takes too long is given up, and the device is allocated anew", async () => {
  const { client, waitFor } = await start(1, 0);
  await slowDevices(client);
  await addTemplate(client);
  await client.of(pods, "default").create({ metadata: { name: "web" }, spec: podSpec });
  await waitFor(() => isAllocated(client));
  const since = async () => (await claimsOf(client))[0]?.status.allocation?.allocationTimestamp;
  const first = await since();
  await clock.advance(15 * 60_000);
  await waitFor(async () => (await since()) !== first && (await since()) !== undefined);
  await report(client, "Attached");
  await waitFor(async () => (await running(client)).length === 1);
});

test("shares of one device add up to its capacity", async () => {
  const { client, waitFor } = await start(1, 0);
  await client.of(resourceSlices).create({
    metadata: { name: "shared" },
    spec: {
      driver,
      pool: { name: "shared", generation: 1, resourceSliceCount: 1 },
      nodeName: "node-1",
      devices: [{ name: "nic", allowMultipleAllocations: true, capacity: { bandwidth: { value: "10G" } } }],
    },
  });
  await addTemplate(client, { capacity: { requests: { bandwidth: "4G" } } });
  await addDeployment(client, 3);
  await waitFor(async () => (await running(client)).length === 2);
  await clock.advance(60_000);
  const results = (await claimsOf(client)).flatMap(({ status }) => status.allocation?.devices.results ?? []);
  expect(results.map(({ device, consumedCapacity }) => [device, consumedCapacity])).toEqual([
    ["nic", { bandwidth: "4G" }],
    ["nic", { bandwidth: "4G" }],
  ]);
  expect(new Set(results.map(({ shareID }) => shareID)).size).toBe(2);
});

const asksFor = (resource: string, count: number) => ({
  containers: [{ name: "main", image: "train:1", resources: { limits: { [resource]: String(count) } } }],
});

test.each([
  ["of the class", "example.com/gpu"],
  ["that every class is", "deviceclass.resource.kubernetes.io/gpu"],
])(
  "Pods that ask for the extended resource %s get devices by a claim of the scheduler",
  async (_, resource) => {
    const { client, waitFor } = await start(2, 2);
    const spec = { extendedResourceName: "example.com/gpu" };
    await client.of(deviceClasses).patch("gpu", { spec }, { type: "merge" });
    const add = (name: string) =>
      client.of(pods, "default").create({ metadata: { name }, spec: asksFor(resource, 2) });
    for (const name of ["a", "b", "c"]) await add(name);
    await waitFor(async () => (await running(client)).length === 2);
    expect(new Set(await devicesOf(client)).size).toBe(4);
    const [first] = await running(client);
    const claims = await claimsOf(client);
    const claim = claims.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === first?.metadata.uid);
    expect(claim?.metadata.name).toMatch(new RegExp(`^${first?.metadata.name}-extended-resources-.{5}$`));
    expect(first?.status.extendedResourceClaimStatus).toEqual({
      requestMappings: [
        { containerName: "main", resourceName: resource, requestName: "container-0-request-0" },
      ],
      resourceClaimName: claim?.metadata.name,
    });
    await clock.advance(10_000);
    const waiting = (await podsOf(client)).find(({ spec: { nodeName } }) => nodeName === undefined);
    expect(waiting === undefined ? "" : why(waiting)).toMatch(
      /^0\/2 nodes are available: 2 cannot allocate all claims\./,
    );
    await client.of(pods, "default").delete(first?.metadata.name ?? "");
    await waitFor(async () =>
      (await running(client)).some(({ metadata }) => metadata.name === waiting?.metadata.name),
    );
    await waitFor(async () => (await claimsOf(client)).length === 2);
  },
);

test("a claim for extended resources that an earlier attempt has left is deleted first", async () => {
  const { client, waitFor } = await start(1, 1);
  const resource = "deviceclass.resource.kubernetes.io/gpu";
  const spec = { ...asksFor(resource, 1), schedulingGates: [{ name: "wait" }] };
  const pod = await client.of(pods, "default").create({ metadata: { name: "web" }, spec });
  const ownerReferences = [
    { apiVersion: "v1", kind: "Pod", name: "web", uid: pod.metadata.uid ?? "", controller: true },
  ];
  const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" };
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  const finalizers = ["resource.kubernetes.io/delete-protection"];
  const metadata = { name: "left", annotations, ownerReferences, finalizers };
  await client.of(resourceClaims, "default").create({ metadata, spec: { devices } });
  await client.of(pods, "default").patch("web", { spec: { schedulingGates: null } }, { type: "merge" });
  await waitFor(async () => (await running(client)).length === 1);
  expect((await claimsOf(client)).map(({ metadata: { name } }) => name === "left")).toEqual([false]);
});
