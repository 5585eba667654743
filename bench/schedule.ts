import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { nodes, pods, priorityClasses } from "../src/api/index.ts";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { Informer } from "../src/client/informer.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { hasReason } from "../src/meta/status.ts";
import { every, systemClock } from "../src/util/clock.ts";
import { silentLogger } from "../src/util/logger.ts";
import { systemRandom } from "../src/util/random.ts";
import { cpuOf } from "./cpu.ts";
import { Load } from "./load.ts";
import { each, inNamespace } from "./measures.ts";
import { startCluster } from "./schedule/cluster.ts";
import { violations } from "./schedule/violations.ts";
import {
  highPriority,
  hostname,
  room,
  type Template,
  type Workload,
  workloads,
  zone,
} from "./schedule/workloads.ts";

/*
 * Pods that a scheduler binds over HTTP, from the first create to the last binding: the workloads of upstream's
 * scheduler_perf, on nodes that only exist as objects. The CPU of all server processes is counted. After each workload, the
 * constraints of all Pods are checked.
 */
const { values: flags } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    pods: { type: "string", default: "2000" },
    only: { type: "string" },
    kubeconfig: { type: "string" },
    pids: { type: "string", default: "" },
    shards: { type: "string" },
    "kube-apiserver": { type: "string" },
    "kube-scheduler": { type: "string" },
    etcd: { type: "string", default: "etcd" },
  },
});

const zones = 3;
const writers = 64;
const warmUpPods = 500;
const mostShown = 10;

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const nodeCount = Number(flags.nodes);
const podCount = Number(flags.pods);
const cluster = await startCluster(flags);
const { connection } = await resolveContext(await loadKubeconfig([cluster.kubeconfig]));
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const load = new Load(connection, 16);
const cpuMs = () => cluster.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
const conflicts = async () => (await cluster.conflicts?.()) ?? 0;

async function createNodes(): Promise<void> {
  await each(nodeCount, writers, async (index, writer) => {
    const name = `node-${index}`;
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { [hostname]: name, [zone]: `zone-${index % zones}`, bench: "schedule" } },
      status: { capacity: room, allocatable: room, conditions: [{ type: "Ready", status: "True" }] },
    };
    await load.send(writer, "POST", "/api/v1/nodes", 201, { body: Buffer.from(JSON.stringify(node)) });
    // Admission has tainted the new node.
    await client.of(nodes).patch(name, { spec: { taints: null } }, { type: "merge" });
  });
}

function bodyOf(name: string, app: string, { requests = small, spec = () => ({}) }: Template): Uint8Array {
  const containers = [{ name: "c", image: "bench", resources: { requests } }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app } },
    spec: { automountServiceAccountToken: false, containers, ...spec(app) },
  };
  return Buffer.from(JSON.stringify(pod));
}

const small = { cpu: "100m", memory: "100Mi" };

/** Creates Pods of a template. Resolves when all are bound. */
async function schedule(namespace: string, app: string, count: number, template: Template): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const bound = Promise.withResolvers<void>();
  const stop = new AbortController();
  // A server may end the watch of a busy client: an informer begins another one.
  const informer = new Informer(client.of(pods, namespace), env, {
    name: app,
    labelSelector: `app=${app}`,
    fieldSelector: "spec.nodeName!=",
  });
  informer.addHandler(() => {
    if (informer.cache.size >= count) bound.resolve();
  });
  const ended = informer.run(stop.signal);
  await informer.whenSynced();
  await each(count, writers, (index, writer) =>
    load.send(writer, "POST", path, 201, { body: bodyOf(`${app}-${index}`, app, template) }),
  );
  if (count > 0) await bound.promise;
  stop.abort();
  await ended;
}

/** Creates a Pod of a template at each interval. Returns what ends it. */
function startChurn(
  namespace: string,
  app: string,
  template: Required<Workload>["churn"],
): () => Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const created: Promise<number>[] = [];
  const stop = new AbortController();
  const ended = every(systemClock, template.intervalMs, stop.signal, () => {
    const body = bodyOf(`${app}-${created.length}`, app, template);
    created.push(load.send(0, "POST", path, 201, { body }));
  });
  return async () => {
    stop.abort();
    await Promise.all([ended, ...created]);
  };
}

/** Runs a workload, and returns its line of the table. */
async function measure(namespace: string, name: string, workload: Workload): Promise<string[]> {
  const { initial = [], churn, measured, mostPerNode = Number.POSITIVE_INFINITY } = workload;
  for (const [i, template] of initial.entries())
    await schedule(namespace, `${name}-initial-${i}`, Math.ceil(template.perNode * nodeCount), template);
  const count = Math.min(podCount, mostPerNode * nodeCount);
  const [cpu, conflicting, start] = [cpuMs(), await conflicts(), performance.now()];
  const endChurn = churn && startChurn(namespace, `${name}-churn`, churn);
  await schedule(namespace, name, count, measured);
  const seconds = (performance.now() - start) / 1000;
  const cpuEach = ((cpuMs() - cpu) * 1000) / count;
  await endChurn?.();
  const conflicted = cluster.conflicts === undefined ? [] : [String((await conflicts()) - conflicting)];
  return [name, String(count), (count / seconds).toFixed(0), cpuEach.toFixed(0), ...conflicted];
}

/** Ends the run when a Pod is where it must not be. */
async function check(name: string): Promise<void> {
  const [{ items: allNodes }, { items: allPods }] = await Promise.all([
    client.of(nodes).list(),
    client.of(pods).list(),
  ]);
  const found = violations(allNodes, allPods);
  if (found.length === 0) return;
  const shown = found.slice(0, mostShown).join("\n  ");
  throw new Error(`${name} has left ${found.length} violations:\n  ${shown}`);
}

async function createPriorityClass(): Promise<void> {
  const { name, value } = highPriority;
  try {
    await client.of(priorityClasses).create({ metadata: { name }, value });
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}

const rows: string[][] = [];
try {
  await createNodes();
  await createPriorityClass();
  await inNamespace(client, async (namespace) => {
    const empty = () => client.of(pods, namespace).deleteCollection({ gracePeriodSeconds: 0 });
    await schedule(namespace, "warm-up", warmUpPods, {});
    await empty();
    for (const name of flags.only?.split(",") ?? Object.keys(workloads)) {
      const workload = workloads[name];
      if (workload === undefined)
        throw new Error(`Cannot measure ${name}: there are ${Object.keys(workloads).join(", ")}`);
      rows.push(await measure(namespace, name, workload));
      await check(name);
      await empty();
    }
  });
} finally {
  if (flags.kubeconfig !== undefined) {
    await client.of(nodes).deleteCollection({ labelSelector: "bench=schedule" });
    await client.of(priorityClasses).delete(highPriority.name);
  }
  load.close();
  await client.transport.close();
  await cluster.stop();
}
const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
const columns = ["WORKLOAD", "PODS", "PODS/S", "CPU µs/POD", ...(cluster.conflicts ? ["CONFLICTS"] : [])];
process.stdout.write(`${machine}, ${nodeCount} nodes\n\n${printTable(columns, rows)}`);
