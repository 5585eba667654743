import { afterEach, expect, test } from "vitest";
import { deployments, events, horizontalPodAutoscalers, jobs, nodes, pods } from "../api/index.ts";
import type { SimulationInput } from "../kubelet/simulated/configuration/schema.ts";
import type { In } from "../meta/schema.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { startCluster, type TestCluster } from "./start-cluster.ts";

let cluster: TestCluster;
afterEach(() => cluster.stop());

async function start(simulation: SimulationInput, more: { seed?: number } = {}): Promise<VirtualClock> {
  const clock = new VirtualClock();
  cluster = await startCluster({ clock, simulation, ...more });
  return clock;
}

const seconds = (least: number, most = least) => ({
  durationMilliseconds: least * 1000,
  jitterDurationMilliseconds: most * 1000,
});
const all = () => cluster.client.of(pods, "default");
const present = async () => (await all().list()).items;
const container = (image: string) => ({ name: "c", image });

type PodSpec = NonNullable<In<typeof pods.schema>["spec"]>;

async function run(
  image: string,
  more: { annotations?: Record<string, string>; spec?: Partial<PodSpec> } = {},
) {
  const { annotations = {}, spec = {} } = more;
  await all().create({
    metadata: { name: "p", annotations },
    spec: { containers: [container(image)], restartPolicy: "Never", ...spec },
  });
}

async function createJob(image: string, spec: object = {}): Promise<void> {
  const template = { spec: { restartPolicy: "Never" as const, containers: [container(image)] } };
  await cluster.client.of(jobs, "default").create({ metadata: { name: "j" }, spec: { template, ...spec } });
}

const job = () => cluster.client.of(jobs, "default").get("j");
const jobEnds = (type: string) =>
  cluster.waitFor(async () => {
    const { conditions = [] } = (await job()).status;
    return conditions.some((one) => one.type === type && one.status === "True");
  }, 3_600_000);

const condition = async (node: string) => {
  const { items } = await cluster.client.of(nodes).list();
  const found = items.find(({ metadata }) => metadata.name === node);
  return found?.status.conditions?.find(({ type }) => type === "Ready")?.status;
};

test("a Job's Pods run until they are stopped, unless a rule ends them", async () => {
  const clock = await start({ containers: [{ images: ["other"], stages: { end: [{}] } }] });
  await createJob("task");
  await clock.advance(600_000);
  expect((await job()).status).toMatchObject({ active: 1, ready: 1 });
});

test("one rule ends the Pods of every Job, by the label that they have", async () => {
  const podSelector = { matchExpressions: [{ key: "batch.kubernetes.io/job-name", operator: "Exists" }] };
  const clock = await start({ containers: [{ podSelector, stages: { end: [{ delay: seconds(5) }] } }] });
  await run("task");
  await createJob("task", { completions: 3, parallelism: 2 });
  const before = clock.monotonic();
  await jobEnds("Complete");
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(10_000);
  expect((await job()).status.succeeded).toBe(3);
  expect((await all().get("p")).status.phase).toBe("Running");
});

test("a weighted choice lets some Pods of a Job fail, and the Job replaces them", async () => {
  const end = [
    { weight: 3, delay: seconds(2, 4) },
    { weight: 1, delay: seconds(1), exitCode: 3 },
  ];
  await start({ containers: [{ images: ["task"], stages: { end } }] });
  await createJob("task", { completions: 40, parallelism: 10, backoffLimit: 200 });
  await jobEnds("Complete");
  const { succeeded, failed = 0 } = (await job()).status;
  expect(succeeded).toBe(40);
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(40);
  const codes = (await present()).map(
    ({ status }) => status.containerStatuses?.[0]?.state.terminated?.exitCode,
  );
  expect(new Set(codes)).toEqual(new Set([0, 3]));
});

test("the same seed draws the same ends", async () => {
  const end = [{ delay: seconds(1, 100) }, { delay: seconds(1, 100), exitCode: 1 }];
  const outcome = async () => {
    await start({ containers: [{ stages: { end } }] }, { seed: 7 });
    await createJob("task", { completions: 5, backoffLimit: 100 });
    await jobEnds("Complete");
    const { failed, completionTime } = (await job()).status;
    await cluster.stop();
    return { failed, completionTime };
  };
  expect(await outcome()).toEqual(await outcome());
});

test("a Job whose Pods fail ends at its back-off limit, with growing delays between them", async () => {
  const clock = await start({ containers: [{ stages: { end: [{ exitCode: 1 }] } }] });
  await createJob("task", { backoffLimit: 3 });
  await jobEnds("Failed");
  const { failed, conditions } = (await job()).status;
  expect(failed).toBe(4);
  expect(conditions?.find(({ type }) => type === "Failed")?.reason).toBe("BackoffLimitExceeded");
  expect(clock.monotonic()).toBeGreaterThan((10 + 20 + 40) * 1000);
});

test("a container that crashes is restarted with back-off", async () => {
  await start({ containers: [{ stages: { end: [{ delay: seconds(1), exitCode: 2 }] } }] });
  await run("server", { spec: { restartPolicy: "Always" } });
  const status = async () => (await all().get("p")).status.containerStatuses?.[0];
  await cluster.waitFor(async () => (await status())?.state.waiting?.reason === "CrashLoopBackOff");
  expect((await status())?.lastState.terminated?.exitCode).toBe(2);
  await cluster.waitFor(async () => ((await status())?.restartCount ?? 0) >= 3);
});

test("a pull takes its time once on each node, and fails with its reason", async () => {
  const clock = await start({
    containers: [
      { images: ["slow:*"], stages: { pull: { delay: seconds(30) } } },
      { images: ["gone"], stages: { pull: { failure: { message: "no such image" } } } },
    ],
  });
  const runs = async (name: string) => (await all().get(name)).status.phase === "Running";
  const create = (name: string, image: string) =>
    all().create({ metadata: { name }, spec: { containers: [container(image)] } });
  await create("first", "slow:1");
  await clock.advance(29_000);
  expect(await runs("first")).toBe(false);
  await clock.advance(5_000);
  expect(await runs("first")).toBe(true);
  await create("second", "slow:1");
  await create("third", "gone");
  await clock.advance(1_000);
  expect(await runs("second")).toBe(true);
  expect((await all().get("third")).status.containerStatuses?.[0]?.state.waiting).toEqual({
    reason: "ErrImagePull",
    message: "no such image",
  });
  const messages = (await cluster.client.of(events, "default").list()).items.map(({ message }) => message);
  expect(messages).toContain('Container image "slow:1" already present on machine');
});

test("a container starts and becomes ready after its delays, also with a probe", async () => {
  const stages = { start: { delay: seconds(10) }, ready: { delay: seconds(20) } };
  const clock = await start({ containers: [{ stages }] });
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await run("a", {
    spec: { containers: [container("a"), { ...container("a"), name: "d", readinessProbe }] },
  });
  const states = async () =>
    (await all().get("p")).status.containerStatuses?.map(({ ready, state }) =>
      [...Object.keys(state), ready].join(" "),
    );
  await clock.advance(9_000);
  expect(await states()).toEqual(["waiting false", "waiting false"]);
  await clock.advance(15_000);
  expect(await states()).toEqual(["running false", "running false"]);
  await clock.advance(10_000);
  expect(await states()).toEqual(["running true", "running true"]);
});

test("a Pod describes its own containers by annotations", async () => {
  const clock = await start({ containers: [{ stages: { end: [{ exitCode: 9 }] } }] });
  const annotations = {
    "simulation.knarr.dev/run-for": "20s",
    "simulation.knarr.dev/exit-code": "4",
    "simulation.knarr.dev/start-delay": "5s",
  };
  const initContainers = [{ name: "i", image: "i" }];
  await run("a", { annotations, spec: { initContainers } });
  await cluster.waitFor(async () => (await all().get("p")).status.phase === "Failed");
  // The rule is for init containers too; annotations are not.
  const { initContainerStatuses } = (await all().get("p")).status;
  expect(initContainerStatuses?.[0]?.state.terminated?.exitCode).toBe(9);
  await all().delete("p");
  await cluster.waitFor(async () => (await present()).length === 0);
  const before = clock.monotonic();
  await run("a", { annotations });
  await cluster.waitFor(async () => (await all().get("p")).status.phase === "Failed");
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(25_000);
  const { containerStatuses } = (await all().get("p")).status;
  expect(containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 4, reason: "Error" });
});

test("an invalid annotation shows in the Pod's status, and the Pod runs once it is corrected", async () => {
  await start({});
  await run("a", { annotations: { "simulation.knarr.dev/run-for": "soon" } });
  const waiting = async () => (await all().get("p")).status.containerStatuses?.[0]?.state.waiting;
  await cluster.waitFor(async () => (await waiting())?.reason === "CreateContainerConfigError");
  expect((await waiting())?.message).toBe(
    'metadata.annotations[simulation.knarr.dev/run-for]: Invalid value: "soon": must be a duration such as 1m30s',
  );
  const annotations = { "simulation.knarr.dev/run-for": "1s" };
  await all().patch("p", { metadata: { annotations } }, { type: "merge" });
  await cluster.waitFor(async () => (await all().get("p")).status.phase === "Succeeded", 5_000);
});

test("an autoscaler scales by the usage that a rule gives", async () => {
  await start({ containers: [{ images: ["web"], usage: { cpu: "300m" } }] });
  const labels = { app: "web" };
  const resources = { requests: { cpu: "200m" } };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ ...container("web"), resources }] } },
  };
  const web = cluster.client.of(deployments, "default");
  await web.create({ metadata: { name: "web" }, spec });
  const target = { type: "Utilization", averageUtilization: 50 } as const;
  await cluster.client.of(horizontalPodAutoscalers, "default").create({
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 7,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  });
  const replicas = async () => (await web.get("web")).spec.replicas;
  await cluster.waitFor(async () => (await replicas()) === 3);
  await cluster.waitFor(async () => (await replicas()) === 7);
});

test("nodes have what their group gives them, and Pods are scheduled by it", async () => {
  const gpus = {
    name: "gpu",
    count: 2,
    labels: { zone: "a" },
    taints: [{ key: "gpu", effect: "NoSchedule" as const }],
    capacity: { "example.com/gpu": "2", cpu: "64" },
    allocatable: { cpu: "60" },
    images: [{ names: ["train"], sizeBytes: 1000 }],
  };
  const clock = await start({ nodes: [{ name: "cpu" }, gpus] });
  await cluster.waitFor(async () => (await condition("gpu-2")) === "True");
  const { metadata, spec, status } = await cluster.client.of(nodes).get("gpu-1");
  expect(metadata.labels).toMatchObject({ zone: "a", "kubernetes.io/hostname": "gpu-1", type: "simulated" });
  expect(spec.taints).toEqual([{ key: "gpu", effect: "NoSchedule" }]);
  expect(status.capacity).toMatchObject({ "example.com/gpu": "2", cpu: "64", memory: "256Gi" });
  expect(status.allocatable).toMatchObject({ "example.com/gpu": "2", cpu: "60", memory: "256Gi" });
  expect(status.images).toEqual([{ names: ["train"], sizeBytes: 1000 }]);
  const resources = { limits: { "example.com/gpu": "2" } };
  const tolerations = [{ key: "gpu", operator: "Exists" as const }];
  for (const name of ["a", "b", "c"])
    await all().create({
      metadata: { name },
      spec: { containers: [{ ...container("x"), resources }], tolerations },
    });
  await clock.advance(10_000);
  const places = (await present()).map(({ spec: { nodeName = "none" } }) => nodeName);
  expect(new Set(places)).toEqual(new Set(["gpu-1", "gpu-2", "none"]));
});

test("a node whose heartbeats fail becomes NotReady, loses its Pods, and comes back", async () => {
  const failing = { name: "bad", heartbeatFailure: { delay: seconds(100), duration: seconds(900) } };
  const clock = await start({
    nodes: [failing, { name: "good", taints: [{ key: "x", effect: "PreferNoSchedule" }] }],
  });
  await cluster.waitFor(async () => (await condition("bad-1")) === "True");
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [container("web")] } };
  await cluster.client
    .of(deployments, "default")
    .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } });
  /** The nodes of the Pods that run, with a mark for those that are deleted. */
  const places = async () =>
    (await present())
      .filter(({ status }) => status.phase === "Running")
      .map(
        ({ spec, metadata }) => (metadata.deletionTimestamp === undefined ? "" : "deleted ") + spec.nodeName,
      )
      .toSorted()
      .join();
  await cluster.waitFor(async () => (await places()) === "bad-1");
  await cluster.waitFor(async () => (await condition("bad-1")) === "Unknown");
  expect(clock.monotonic()).toBeGreaterThan(130_000);
  expect(await condition("good-1")).toBe("True");
  // The deleted Pod stays, because its node's agent does not see the deletion.
  await cluster.waitFor(async () => (await places()) === "deleted bad-1,good-1", 600_000);
  await cluster.waitFor(async () => (await condition("bad-1")) === "True", 900_000);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(1_000_000);
  await cluster.waitFor(async () => (await places()) === "good-1", 60_000);
});

test("an invalid simulation starts no cluster", async () => {
  await start({});
  const simulation = { nodes: [{ count: -1 }] };
  await expect(startCluster({ simulation })).rejects.toThrow("nodes[0].count: Invalid value: -1");
});

test("a Pod that starts at once is written three times: created, bound, ready", async () => {
  await start({});
  await cluster.waitFor(async () => (await cluster.client.of(nodes).get("node-1")).spec.taints === undefined);
  const written: string[] = [];
  const stop = new AbortController();
  const watch = all().watch({ signal: stop.signal });
  const seen = (async () => {
    for await (const batch of watch) {
      for (const event of batch) {
        if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
        const { spec, status } = event.object;
        const ready = status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
        written.push(`${spec.nodeName} ${status.phase} ${ready}`);
      }
    }
  })();
  await run("web");
  await cluster.waitFor(() => written.some((one) => one.endsWith("true")));
  stop.abort();
  await seen.catch(() => {});
  expect(written).toEqual(["undefined Pending undefined", "node-1 Pending false", "node-1 Running true"]);
});
