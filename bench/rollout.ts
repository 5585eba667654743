import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { deployments, nodes, type Pod, pods } from "../src/api/index.ts";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { Informer } from "../src/client/informer.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { isConditionTrue } from "../src/meta/conditions.ts";
import { systemClock } from "../src/util/clock.ts";
import { silentLogger } from "../src/util/logger.ts";
import { systemRandom } from "../src/util/random.ts";
import { cpuOf } from "./cpu.ts";
import { Load } from "./load.ts";
import { each, inNamespace, quantile } from "./measures.ts";
import { startPeer } from "./peer.ts";
import { startKnarr } from "./subject.ts";

/*
 * A Deployment on many nodes, from its creation until all its Pods are Ready. The nodes are Knarr's own simulated ones,
 * or kwok's. The CPU of all server processes is counted, without kwok's.
 */
const { values: flags } = parseArgs({
  options: {
    nodes: { type: "string", default: "500" },
    replicas: { type: "string", default: "5000" },
    /** kwok, and its configuration with stages for nodes and Pods: it runs the nodes. */
    kwok: { type: "string" },
    "kwok-config": { type: "string", default: "" },
    "kube-apiserver": { type: "string" },
    "kube-controller-manager": { type: "string" },
    "kube-scheduler": { type: "string" },
    etcd: { type: "string", default: "etcd" },
  },
});

const writers = 64;
const warmUpReplicas = 500;
const nodeCount = Number(flags.nodes);
const replicas = Number(flags.replicas);
const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const { kwok, "kube-apiserver": kubeApiserver, etcd } = flags;
const subject =
  kubeApiserver === undefined
    ? await startKnarr(kwok === undefined ? flags.nodes : "0")
    : await startPeer({
        etcd,
        kubeApiserver,
        kubeScheduler: flags["kube-scheduler"],
        kubeControllerManager: flags["kube-controller-manager"],
      });
const { connection } = await resolveContext(await loadKubeconfig([subject.kubeconfig]));
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const load = new Load(connection, 16);
const cpuMs = () => subject.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);

/** Starts kwok, and creates the nodes that it runs. Returns what ends it. */
async function startKwok(program: string): Promise<() => Promise<void>> {
  const line = [
    `--kubeconfig=${subject.kubeconfig}`,
    `--config=${flags["kwok-config"]}`,
    "--manage-all-nodes=true",
    "--node-lease-duration-seconds=40",
  ];
  const child = spawn(program, line, { stdio: "ignore" });
  await each(nodeCount, writers, (index, writer) => {
    const name = `node-${index}`;
    const room = { cpu: "32", memory: "64Gi", pods: "110" };
    const status = { capacity: room, allocatable: room };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name }, status };
    return load.send(writer, "POST", "/api/v1/nodes", 201, { body: Buffer.from(JSON.stringify(node)) });
  });
  return async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
}

async function untilNodesAreReady(): Promise<void> {
  for (;;) {
    const { items } = await client.of(nodes).list();
    const ready = items.filter(
      ({ spec, status }) => (spec.taints ?? []).length === 0 && isConditionTrue(status.conditions, "Ready"),
    );
    if (ready.length >= nodeCount) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Creates a Deployment. Resolves to the milliseconds until each of its Pods was Ready, as a client saw it. */
async function rollOut(namespace: string, app: string, count: number): Promise<readonly number[]> {
  const readyAt = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  const stop = new AbortController();
  const informer = new Informer(client.of(pods, namespace), env, {
    name: app,
    labelSelector: `app=${app}`,
  });
  let start = 0;
  informer.addHandler(({ object }: { readonly object: Pod }) => {
    const { uid = "" } = object.metadata;
    if (readyAt.has(uid) || !isConditionTrue(object.status.conditions, "Ready")) return;
    readyAt.set(uid, performance.now() - start);
    if (readyAt.size >= count) all.resolve();
  });
  const ended = informer.run(stop.signal);
  await informer.whenSynced();
  start = performance.now();
  await client.of(deployments, namespace).create({
    metadata: { name: app },
    spec: {
      replicas: count,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: {
          containers: [
            { name: "c", image: "bench", resources: { requests: { cpu: "100m", memory: "100Mi" } } },
          ],
        },
      },
    },
  });
  await all.promise;
  stop.abort();
  await ended;
  return [...readyAt.values()];
}

let stopKwok = () => Promise.resolve();
const rows: string[][] = [];
try {
  if (kwok !== undefined) stopKwok = await startKwok(kwok);
  await untilNodesAreReady();
  await inNamespace(client, async (namespace) => {
    await rollOut(namespace, "warm-up", warmUpReplicas);
    const cpu = cpuMs();
    const times = await rollOut(namespace, "web", replicas);
    const used = (cpuMs() - cpu) / 1000;
    for (const [name, value] of [
      ["half of the Pods Ready, after", quantile(times, 0.5) / 1000],
      ["99 of 100 Pods Ready, after", quantile(times, 0.99) / 1000],
      ["all Pods Ready, after", Math.max(...times) / 1000],
      ["CPU", used],
    ] as const)
      rows.push([name, value.toFixed(1), "s"]);
  });
} finally {
  load.close();
  await client.transport.close();
  await stopKwok();
  await subject.stop();
}
const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
process.stdout.write(
  `${machine}, ${replicas} replicas on ${nodeCount} nodes\n\n${printTable(["MEASURE", "VALUE", "UNIT"], rows)}`,
);
