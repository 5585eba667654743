import { expect, test } from "vitest";
import { leases } from "../../api/coordination/lease/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { controller } from "../../operator/controller.ts";
import { every, formatMicroTime, formatTime } from "../../util/clock.ts";
import { template } from "../builders.suite.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { taintEvictionController } from "../taint-eviction/controller.ts";
import { nodeLifecycleController } from "./controller.ts";

/** A node whose agent reports once, and then only renews its Lease while `alive` returns true. */
async function addNode(bed: Testbed, name: string, alive: () => boolean): Promise<void> {
  const { client, env } = bed;
  const made = await client.of(nodes).create({ metadata: { name } });
  const time = formatTime(env.clock.now());
  const condition = { status: "True", lastHeartbeatTime: time, lastTransitionTime: time };
  const conditions = [
    { ...condition, type: "Ready" },
    ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
      ...condition,
      type,
      status: "False",
    })),
  ];
  await client.of(nodes).updateStatus({ ...made, status: { ...made.status, conditions } });
  const lease = () => ({
    metadata: { name },
    spec: { holderIdentity: name, renewTime: formatMicroTime(env.clock.now()) },
  });
  await client.of(leases, "kube-node-lease").create(lease());
  bed.runAsAdmin(
    controller({
      name: `agent-${name}`,
      for: leases,
      reconcile: () => Promise.resolve(),
      run: ({ signal }) =>
        every(env.clock, 10_000, signal, () =>
          alive() ? client.of(leases, "kube-node-lease").patch(name, lease(), { type: "merge" }) : undefined,
        ),
    }),
  );
}

const get = ({ client }: Testbed, name: string) => client.of(nodes).get(name);
const ready = async (bed: Testbed, name: string) =>
  (await get(bed, name)).status.conditions?.find(({ type }) => type === "Ready");
const taints = async (bed: Testbed, name: string) =>
  ((await get(bed, name)).spec.taints ?? []).map(({ key, effect }) => `${key.split("/")[1]}:${effect}`);

/** A running, ready Pod on a node. */
async function addPod({ client }: Testbed, name: string, nodeName: string, spec: object = {}): Promise<void> {
  const made = await client
    .of(pods, "default")
    .create({ metadata: { name }, spec: { ...template.spec, nodeName, ...spec } });
  const conditions = [{ type: "Ready", status: "True" }];
  await client
    .of(pods, "default")
    .updateStatus({ ...made, status: { ...made.status, phase: "Running", conditions } });
}

const deletedAt = async ({ client }: Testbed, name: string) => {
  const { items } = await client.of(pods, "default").list();
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } =
    items.find(({ metadata }) => metadata.name === name)?.metadata ?? {};
  return deletionTimestamp === undefined
    ? undefined
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
};

test("a node without heartbeats is tainted and its Pods evicted as they tolerate; one with heartbeats is not", async () => {
  const bed = await startTestbed(() => [nodeLifecycleController(), taintEvictionController()]);
  let alive = true;
  await addNode(bed, "good", () => true);
  await addNode(bed, "bad", () => alive);
  await bed.until(async () => (await taints(bed, "bad")).length === 0);
  await addPod(bed, "patient", "bad");
  await addPod(bed, "faithful", "bad", { tolerations: [{ operator: "Exists" }] });
  await addPod(bed, "elsewhere", "good");
  await bed.clock.advance(300_000);
  expect((await ready(bed, "bad"))?.status).toBe("True");
  alive = false;
  const silentSince = bed.clock.now();
  await bed.until(async () => (await ready(bed, "bad"))?.status === "Unknown");
  expect(bed.clock.now() - silentSince).toBeLessThanOrEqual(41_000);
  expect(await ready(bed, "bad")).toMatchObject({
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  });
  await bed.until(async () => (await taints(bed, "bad")).length === 2);
  const taintedAt = bed.clock.now();
  expect(await taints(bed, "bad")).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
  await bed.clock.settle();
  const patient = () => bed.client.of(pods, "default").get("patient");
  expect((await patient()).status.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
  await bed.until(async () => (await deletedAt(bed, "patient")) !== undefined);
  // By default a Pod tolerates an unreachable node for five minutes.
  expect(Math.abs(((await deletedAt(bed, "patient")) ?? 0) - taintedAt - 300_000)).toBeLessThan(2000);
  expect((await patient()).status.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }),
  );
  expect([await deletedAt(bed, "faithful"), await deletedAt(bed, "elsewhere")]).toEqual([
    undefined,
    undefined,
  ]);
  expect((await ready(bed, "good"))?.status).toBe("True");
  expect(await bed.eventsOf("bad")).toEqual([
    "RegisteredNode: Registered Node bad in Controller",
    "NodeNotReady: Node bad status is now: NodeNotReady",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("a Pod that appears on a lost node is marked as not ready", async () => {
  const bed = await startTestbed(() => [nodeLifecycleController()]);
  await addNode(bed, "bad", () => false);
  await bed.until(async () => (await ready(bed, "bad"))?.status === "Unknown");
  await addPod(bed, "late", "bad");
  await bed.clock.settle();
  const late = await bed.client.of(pods, "default").get("late");
  expect(late.status.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
});

test("while no node has heartbeats no Pod is evicted", async () => {
  const bed = await startTestbed(() => [nodeLifecycleController(), taintEvictionController()]);
  let alive = true;
  for (const name of ["a", "b"]) await addNode(bed, name, () => alive);
  await addPod(bed, "pod", "a");
  await bed.clock.advance(60_000);
  alive = false;
  await bed.clock.advance(3_600_000);
  expect([await taints(bed, "a"), await taints(bed, "b")]).toEqual([
    ["unreachable:NoSchedule"],
    ["unreachable:NoSchedule"],
  ]);
  expect(await deletedAt(bed, "pod")).toBeUndefined();
  const node = await get(bed, "b");
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: formatTime(bed.clock.now()) }];
  await bed.client.of(nodes).updateStatus({ ...node, status: { ...node.status, conditions } });
  await bed.until(async () => (await taints(bed, "b")).length === 0, 20_000);
  await bed.until(async () => (await taints(bed, "a")).length === 2, 20_000);
});

test("Pods stay while most nodes of a zone are lost, and are evicted one node after the other", async () => {
  const bed = await startTestbed(() => [nodeLifecycleController()]);
  const alive = new Set(["a", "b", "c", "d"]);
  for (const name of ["a", "b", "c", "d"]) await addNode(bed, name, () => alive.has(name));
  const evicted = async () => {
    const all = await Promise.all(["b", "c"].map((name) => taints(bed, name)));
    return all.filter((keys) => keys.includes("unreachable:NoExecute")).length;
  };
  await bed.clock.advance(60_000);
  for (const name of ["b", "c", "d"]) alive.delete(name);
  await bed.clock.advance(300_000);
  expect((await ready(bed, "d"))?.status).toBe("Unknown");
  expect(await evicted()).toBe(0);
  await bed.client.of(nodes).delete("d");
  await bed.until(async () => (await evicted()) === 1, 2000);
  await bed.clock.advance(8000);
  expect(await evicted()).toBe(1);
  await bed.until(async () => (await evicted()) === 2, 4000);
  expect(bed.complaints).toEqual([]);
});

test("a node that never reports becomes unreachable after a minute", async () => {
  const bed = await startTestbed(() => [nodeLifecycleController(), taintEvictionController()]);
  await bed.client.of(nodes).create({ metadata: { name: "new" } });
  await bed.clock.advance(59_000);
  expect(await ready(bed, "new")).toBeUndefined();
  await bed.until(async () => (await ready(bed, "new"))?.reason === "NodeStatusNeverUpdated", 2_000);
});
