import { afterEach, describe, expect, it } from "vitest";
import { componentStatuses, deployments, leases, nodes, pods, replicaSets } from "../api/index.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { startCluster, type TestCluster } from "./start-cluster.ts";

describe("a test cluster", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  const isReady = async (name: string) => {
    const { status } = await cluster.client.of(nodes).get(name);
    return status.conditions?.find(({ type }) => type === "Ready")?.status;
  };

  it("waits for an asynchronous condition", async () => {
    cluster = await startCluster({ clock: new VirtualClock() });
    const all = cluster.client.of(pods, "default");
    await all.create({
      metadata: { name: "web" },
      spec: { containers: [{ name: "c", image: "example/web" }] },
    });
    await cluster.waitFor(async () => (await all.get("web")).status.phase === "Running");
    expect((await all.get("web")).spec.nodeName).toBe("node-1");
  });

  it("lists the components that run as healthy", async () => {
    cluster = await startCluster({ clock: new VirtualClock() });
    const { items } = await cluster.client.of(componentStatuses).list();
    const health = items.map(({ metadata, conditions }) => [metadata.name, conditions?.[0]?.status]);
    expect(health).toEqual([
      ["controller-manager", "True"],
      ["etcd-0", "True"],
      ["scheduler", "True"],
    ]);
  });

  it("gives up on a condition that does not hold in time", async () => {
    const clock = new VirtualClock();
    cluster = await startCluster({ clock });
    await expect(cluster.waitFor(() => false, 10_000)).rejects.toThrow(/does not hold after 10000 ms/);
    expect(clock.monotonic()).toBeLessThan(60_000);
  });

  it("loses a node: its heartbeat ends, its Pods are evicted, and other nodes keep running", async () => {
    cluster = await startCluster({ nodes: 2, clock: new VirtualClock() });
    await cluster.waitFor(async () => (await isReady("node-1")) === "True");
    const all = cluster.client.of(pods, "default");
    const spec = { nodeName: "node-1", containers: [{ name: "c", image: "example/web" }] };
    await all.create({ metadata: { name: "web" }, spec });
    await cluster.waitFor(async () => (await all.get("web")).status.phase === "Running");
    cluster.failNode("node-1");
    await cluster.waitFor(async () => (await isReady("node-1")) === "Unknown");
    expect(await isReady("node-2")).toBe("True");
    const isEvicted = async () => (await all.get("web")).metadata.deletionTimestamp !== undefined;
    await cluster.waitFor(isEvicted, 600_000);
    expect(() => cluster.failNode("node-1")).toThrow(/Cannot fail node node-1/);
  });

  it("has idle nodes that renew their Leases, and report their status every five minutes", async () => {
    const clock = new VirtualClock();
    cluster = await startCluster({ clock });
    await cluster.waitFor(async () => (await isReady("node-1")) === "True");
    const node = async () => (await cluster.client.of(nodes).get("node-1")).metadata.resourceVersion;
    const renewed = async () =>
      (await cluster.client.of(leases, "kube-node-lease").get("node-1")).spec.renewTime;
    await clock.advance(60_000);
    const before = { node: await node(), renewed: await renewed() };
    await clock.advance(120_000);
    expect(await node()).toBe(before.node);
    expect(await renewed()).not.toBe(before.renewed);
    await clock.advance(180_000);
    expect(await node()).not.toBe(before.node);
  });

  it("runs the controllers that are chosen, and a scheduler unless there is another", async () => {
    cluster = await startCluster({
      clock: new VirtualClock(),
      controllers: ["*", "-deployment-controller"],
      schedules: false,
    });
    const labels = { app: "web" };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "example/web" }] } },
    };
    await cluster.client.of(deployments, "default").create({ metadata: { name: "web" }, spec });
    await cluster.client.of(replicaSets, "default").create({ metadata: { name: "own" }, spec });
    const all = cluster.client.of(pods, "default");
    await cluster.waitFor(async () => (await all.list()).items.length === 1);
    await cluster.waitFor(async () => (await isReady("node-1")) === "True");
    expect((await cluster.client.of(replicaSets, "default").list()).items).toHaveLength(1);
    expect((await all.list()).items[0]?.spec.nodeName).toBeUndefined();
  });
});
