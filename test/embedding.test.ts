import { afterEach, describe, expect, it } from "vitest";
import { configMaps, deployments, namespaces, nodes, pods } from "../src/api/index.ts";
import { hasReason } from "../src/meta/status.ts";
import {
  type Program,
  startCluster,
  type TestCluster,
  type TestClusterOptions,
  VirtualClock,
} from "../src/testing/index.ts";

const running: TestCluster[] = [];

async function start(
  options: TestClusterOptions = {},
): Promise<{ cluster: TestCluster; clock: VirtualClock }> {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, ...options });
  running.push(cluster);
  await clock.advance(2000);
  return { cluster, clock };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
});

const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image }] },
});

function aDeployment(replicas: number, image = "example/web:v1") {
  return {
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template(image) },
  };
}

describe("an embedded cluster", () => {
  it("schedules and runs a Pod", async () => {
    const { cluster, clock } = await start();
    await cluster.client
      .of(pods, "default")
      .create({ metadata: { name: "web" }, spec: template("example/web").spec });
    await clock.advance(2000);
    const { status, spec } = await cluster.client.of(pods, "default").get("web");
    expect(status.phase).toBe("Running");
    expect(spec.nodeName).toBe("node-1");
    expect(status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  });

  it.each(["Always", "OnFailure", "Never"] as const)(
    "terminates deleted Pods with the restart policy %s",
    async (restartPolicy) => {
      const { cluster, clock } = await start();
      const all = cluster.client.of(pods, "default");
      for (const name of ["runs", "ends"]) {
        const image = name === "runs" ? "example/web" : "example/task";
        const containers = [{ name: "c", image }];
        await all.create({ metadata: { name }, spec: { restartPolicy, containers } });
      }
      await clock.advance(2000);
      for (const name of ["runs", "ends"]) await all.delete(name);
      await clock.advance(60_000);
      expect((await all.list()).items).toEqual([]);
    },
  );

  it("answers probes and hooks as the image's program says, and with success when it says nothing", async () => {
    const asked: string[] = [];
    const moody: Program = {
      run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(0))),
      async check(action) {
        asked.push(Object.keys(action).join());
        return action.httpGet?.path === "/ready" && asked.length < 4 ? "not yet" : undefined;
      },
    };
    const { cluster, clock } = await start({ programs: new Map([["example/moody", moody]]) });
    const all = cluster.client.of(pods, "default");
    const probed = (name: string, image: string) =>
      all.create({
        metadata: { name },
        spec: {
          containers: [
            {
              name: "c",
              image,
              readinessProbe: { httpGet: { path: "/ready", port: 80 }, periodSeconds: 1 },
              livenessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 100 },
              lifecycle: { postStart: { exec: { command: ["true"] } } },
            },
          ],
        },
      });
    await probed("moody", "example/moody");
    await probed("plain", "example/plain");
    const isReady = async (name: string) =>
      (await all.get(name)).status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
    await clock.advance(1500);
    expect([await isReady("moody"), await isReady("plain")]).toEqual([false, true]);
    await clock.advance(10_000);
    expect(await isReady("moody")).toBe(true);
    expect(asked).toContain("exec");
  });

  it("keeps what other clients write into a node's status", async () => {
    const { cluster, clock } = await start();
    const all = cluster.client.of(nodes);
    const set = (status: object) =>
      all.patch("node-1", { status }, { type: "strategic", subresource: "status" });
    await set({
      capacity: { "example.com/dongle": "4" },
      conditions: [{ type: "example.com/Good", status: "True" }],
    });
    await clock.advance(400_000);
    const { status } = await all.get("node-1");
    expect(status.capacity?.["example.com/dongle"]).toBe("4");
    expect(status.allocatable?.["example.com/dongle"]).toBe("4");
    expect(status.conditions?.map(({ type }) => type)).toContain("example.com/Good");
    await set({ capacity: { "example.com/dongle": null } });
    await clock.advance(20_000);
    expect((await all.get("node-1")).status.allocatable).not.toHaveProperty("example.com/dongle");
  });

  it("keeps its nodes ready over an hour of virtual time", async () => {
    const { cluster, clock } = await start({ nodes: 3 });
    await clock.advance(3_600_000);
    const { items } = await cluster.client.of(nodes).list();
    expect(
      items.map(({ status }) => status.conditions?.find(({ type }) => type === "Ready")?.status),
    ).toEqual(["True", "True", "True"]);
  });

  it("rolls a Deployment out, replaces its lost Pods, and deletes it with all that it owns", async () => {
    const { cluster, clock } = await start({ nodes: 3 });
    const client = cluster.client.of(deployments, "default");
    const available = async () => (await client.get("web")).status.availableReplicas ?? 0;
    await client.create(aDeployment(6));
    await clock.advance(5000);
    expect(await available()).toBe(6);
    await client.patch("web", { spec: { template: template("example/web:v2") } }, { type: "merge" });
    await clock.advance(60_000);
    const podClient = cluster.client.of(pods, "default");
    const images = (await podClient.list()).items.map(({ spec }) => spec.containers[0]?.image);
    expect(new Set(images)).toEqual(new Set(["example/web:v2"]));
    const [victim] = (await podClient.list()).items;
    await podClient.delete(victim?.metadata.name ?? "");
    await clock.advance(60_000);
    expect(await available()).toBe(6);
    await client.delete("web");
    await clock.advance(120_000);
    expect((await podClient.list()).items).toEqual([]);
  });

  it("restarts a container that crashes, with growing delays", async () => {
    let starts = 0;
    const crashing: Program = {
      run: () => {
        starts += 1;
        return Promise.resolve(7);
      },
    };
    const { cluster, clock } = await start({ programs: new Map([["crash", crashing]]) });
    await cluster.client
      .of(pods, "default")
      .create({ metadata: { name: "c" }, spec: { containers: [{ name: "c", image: "crash" }] } });
    await clock.advance(3_600_000);
    // At once, after 10, 20, 40, 80, 160 s, then every 300 s.
    expect(starts).toBeGreaterThan(14);
    expect(starts).toBeLessThan(19);
    const [status] = (await cluster.client.of(pods, "default").get("c")).status.containerStatuses ?? [];
    expect(status).toMatchObject({
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 7 } },
    });
  });

  it("marks a Pod whose containers end with success as Succeeded", async () => {
    const job: Program = { run: () => Promise.resolve(0) };
    const { cluster, clock } = await start({ programs: new Map([["job", job]]) });
    const spec = { restartPolicy: "OnFailure" as const, containers: [{ name: "c", image: "job" }] };
    await cluster.client.of(pods, "default").create({ metadata: { name: "j" }, spec });
    await clock.advance(2000);
    expect((await cluster.client.of(pods, "default").get("j")).status.phase).toBe("Succeeded");
  });

  it("empties a namespace before removing it", async () => {
    const { cluster, clock } = await start();
    await cluster.client.of(namespaces).create({ metadata: { name: "team" } });
    await cluster.client.of(configMaps, "team").create({ metadata: { name: "settings" } });
    await clock.advance(1000);
    await cluster.client.of(namespaces).delete("team");
    await clock.advance(60_000);
    const gone = await cluster.client
      .of(namespaces)
      .get("team")
      .catch((error: unknown) => error);
    expect(hasReason(gone, "NotFound")).toBe(true);
  });

  it("gives the same run for the same seed", async () => {
    const run = async (seed: number) => {
      const { cluster, clock } = await start({ nodes: 3, seed });
      await cluster.client.of(deployments, "default").create(aDeployment(5));
      await clock.advance(10_000);
      const { items } = await cluster.client.of(pods, "default").list();
      return items.map(({ metadata, spec }) => `${metadata.name} ${metadata.uid} ${spec.nodeName}`);
    };
    const first = await run(42);
    expect(await run(42)).toEqual(first);
    expect(await run(43)).not.toEqual(first);
  });

  it("is forked by its snapshot", async () => {
    const { cluster } = await start();
    const create = (of: TestCluster, name: string) =>
      of.client.of(configMaps, "default").create({ metadata: { name } });
    await create(cluster, "before");
    const { cluster: fork } = await start({ from: cluster.snapshot() });
    await create(fork, "in-the-fork");
    const names = async (of: TestCluster) =>
      (await of.client.of(configMaps, "default").list()).items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name !== "kube-root-ca.crt");
    expect(await names(fork)).toEqual(["before", "in-the-fork"]);
    expect(await names(cluster)).toEqual(["before"]);
  });
});
