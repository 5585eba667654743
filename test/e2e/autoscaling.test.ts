import { afterEach, expect, test } from "vitest";
import {
  deployments,
  events,
  horizontalPodAutoscalers,
  nodeMetrics,
  podMetrics,
  pods,
} from "../../src/api/index.ts";
import { server } from "../../src/kubelet/simulated/server.suite.ts";
import { startCluster, type TestCluster } from "../../src/testing/start-cluster.ts";
import { VirtualClock } from "../../src/util/virtual-clock.ts";

let cluster: TestCluster;
afterEach(() => cluster.stop());

const image = "example/web";
const mebibyte = 1024 * 1024;
const minute = 60_000;

/** Starts a cluster on virtual time with one Deployment, whose containers share a load in cores. */
async function start(load: { cores: number }, replicas: number) {
  const clock = new VirtualClock();
  let running = 0;
  const web = {
    run: (context: Parameters<typeof server.run>[0]) => {
      running++;
      return server.run(context).finally(() => running--);
    },
    usage: () => ({ cpu: load.cores / running, memoryBytes: 64 * mebibyte }),
  };
  cluster = await startCluster({ clock, nodes: 3, programs: new Map([[image, web]]) });
  await cluster.client.of(deployments, "default").create({
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image, resources: { requests: { cpu: "1" } } }] },
      },
    },
  });
  return clock;
}

const autoscale = (spec: object) =>
  cluster.client.of(horizontalPodAutoscalers, "default").create({
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 8,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
      ...spec,
    },
  });
const replicas = async () => (await cluster.client.of(deployments, "default").get("web")).status.replicas;
const available = async () =>
  (await cluster.client.of(deployments, "default").get("web")).status.availableReplicas;
const statusOf = async () => (await cluster.client.of(horizontalPodAutoscalers, "default").get("web")).status;

test("a Deployment follows its load: up at once, down after the stabilization window", async () => {
  const load = { cores: 3 };
  const clock = await start(load, 1);
  await autoscale({ minReplicas: 1 });
  await cluster.waitFor(async () => (await available()) === 6, 20 * minute);
  await clock.advance(15 * minute);
  expect(await replicas()).toBe(6);
  expect(await statusOf()).toMatchObject({
    currentReplicas: 6,
    desiredReplicas: 6,
    currentMetrics: [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "500m" } },
      },
    ],
  });
  load.cores = 1;
  const before = clock.now();
  await cluster.waitFor(async () => (await replicas()) === 2, 20 * minute);
  const waited = clock.now() - before;
  expect(waited).toBeGreaterThanOrEqual(5 * minute);
  expect(waited).toBeLessThan(6 * minute);
  const told = (await cluster.client.of(events, "default").list()).items
    .filter(({ reason }) => reason === "SuccessfulRescale")
    .map(({ message }) => message);
  expect(told.at(0)).toMatch(/; reason: cpu resource utilization \(percentage of request\) above target$/);
  expect(told.at(-1)).toBe("New size: 2; reason: All metrics below target");
});

test("a behavior without a window scales down at once, and no faster than its policy", async () => {
  const load = { cores: 0.1 };
  const clock = await start(load, 6);
  await cluster.waitFor(async () => (await available()) === 6);
  await clock.advance(10 * minute);
  const policies = [{ type: "Pods", value: 2, periodSeconds: 60 }];
  await autoscale({ minReplicas: 1, behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies } } });
  const sizes: (number | undefined)[] = [];
  for (let minutes = 0; minutes < 4; minutes++) {
    await clock.advance(minute - 15_000);
    sizes.push(await replicas());
    await clock.advance(15_000);
  }
  expect(sizes).toEqual([4, 2, 1, 1]);
});

test("the metrics of Pods and nodes are served, and the pending Pods have none", async () => {
  const clock = await start({ cores: 1 }, 2);
  await cluster.client.of(pods, "default").create({
    metadata: { name: "huge" },
    spec: { containers: [{ name: "c", image, resources: { requests: { cpu: "1000" } } }] },
  });
  await cluster.waitFor(async () => (await available()) === 2);
  await clock.advance(minute);
  const { items } = await cluster.client.of(podMetrics, "default").list({ labelSelector: "app=web" });
  expect(items.map(({ containers }) => containers)).toEqual([
    [{ name: "web", usage: { cpu: "500m", memory: "64Mi" } }],
    [{ name: "web", usage: { cpu: "500m", memory: "64Mi" } }],
  ]);
  expect((await cluster.client.of(podMetrics).list()).items).toHaveLength(2);
  const nodes = await cluster.client.of(nodeMetrics).list();
  expect(nodes.items.map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2", "node-3"]);
  expect(new Set(nodes.items.map(({ usage }) => usage["memory"]))).toEqual(new Set(["0", "64Mi"]));
});
