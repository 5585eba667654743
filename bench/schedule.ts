import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { nodes, pods } from "../src/api/index.ts";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { Informer } from "../src/client/informer.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { systemClock } from "../src/util/clock.ts";
import { silentLogger } from "../src/util/logger.ts";
import { systemRandom } from "../src/util/random.ts";
import { cpuOf } from "./cpu.ts";
import { Load } from "./load.ts";
import { each, inNamespace } from "./measures.ts";
import { startPeer } from "./peer.ts";
import { startKnarr } from "./subject.ts";

/*
 * Pods that a scheduler binds over HTTP, from the first create to the last binding: the workloads of upstream's
 * scheduler_perf, on nodes that only exist as objects. The CPU of all server processes is counted.
 */
const { values: flags } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    pods: { type: "string", default: "2000" },
    only: { type: "string" },
    "kube-apiserver": { type: "string" },
    "kube-scheduler": { type: "string" },
    etcd: { type: "string", default: "etcd" },
  },
});

const zones = 3;
const writers = 64;
const warmUpPods = 500;

const term = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";
const required = (rule: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: [rule] });
const preferred = (rule: object) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: rule }],
});
const spread = (app: string, whenUnsatisfiable: string) => [
  { maxSkew: 5, topologyKey: zone, whenUnsatisfiable, labelSelector: { matchLabels: { app } } },
];

/** The part of the Pods' spec that makes the workload. The Pods have the label `app`. */
const workloads: Readonly<Record<string, (app: string) => object>> = {
  basic: () => ({}),
  "required-anti-affinity": (app) => ({ affinity: { podAntiAffinity: required(term(app, hostname)) } }),
  "required-affinity": (app) => ({ affinity: { podAffinity: required(term(app, zone)) } }),
  "preferred-anti-affinity": (app) => ({ affinity: { podAntiAffinity: preferred(term(app, hostname)) } }),
  "preferred-affinity": (app) => ({ affinity: { podAffinity: preferred(term(app, hostname)) } }),
  "required-spread": (app) => ({ topologySpreadConstraints: spread(app, "DoNotSchedule") }),
  "preferred-spread": (app) => ({ topologySpreadConstraints: spread(app, "ScheduleAnyway") }),
};

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const nodeCount = Number(flags.nodes);
const podCount = Number(flags.pods);
const { "kube-apiserver": kubeApiserver, "kube-scheduler": kubeScheduler, etcd } = flags;
const subject =
  kubeApiserver === undefined
    ? await startKnarr("0", "--controllers", "")
    : await startPeer({ etcd, kubeApiserver, kubeScheduler });
const { connection } = await resolveContext(await loadKubeconfig([subject.kubeconfig]));
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const load = new Load(connection, 16);
const cpuMs = () => subject.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);

async function createNodes(): Promise<void> {
  await each(nodeCount, writers, async (index, writer) => {
    const name = `node-${index}`;
    const room = { cpu: "32", memory: "64Gi", pods: "110" };
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { [hostname]: name, [zone]: `zone-${index % zones}` } },
      status: { capacity: room, allocatable: room, conditions: [{ type: "Ready", status: "True" }] },
    };
    await load.send(writer, "POST", "/api/v1/nodes", 201, { body: Buffer.from(JSON.stringify(node)) });
    // Admission has tainted the new node.
    await client.of(nodes).patch(name, { spec: { taints: null } }, { type: "merge" });
  });
}

/** Creates the Pods of a workload. Resolves when all are bound. */
async function schedule(namespace: string, app: string, count: number, spec: object): Promise<void> {
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
  const requests = { cpu: "100m", memory: "100Mi" };
  const containers = [{ name: "c", image: "bench", resources: { requests } }];
  await each(count, writers, (index, writer) => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${app}-${index}`, labels: { app } },
      spec: { automountServiceAccountToken: false, containers, ...spec },
    };
    return load.send(writer, "POST", path, 201, { body: Buffer.from(JSON.stringify(pod)) });
  });
  await bound.promise;
  stop.abort();
  await ended;
}

const rows: string[][] = [];
try {
  await createNodes();
  await inNamespace(client, async (namespace) => {
    await schedule(namespace, "warm-up", warmUpPods, {});
    for (const name of flags.only?.split(",") ?? Object.keys(workloads)) {
      const workload = workloads[name];
      if (workload === undefined)
        throw new Error(`Cannot measure ${name}: there are ${Object.keys(workloads).join(", ")}`);
      // No two Pods with required anti-affinity share a node.
      const count = name === "required-anti-affinity" ? Math.min(podCount, nodeCount) : podCount;
      const [cpu, start] = [cpuMs(), performance.now()];
      await schedule(namespace, name, count, workload(name));
      const seconds = (performance.now() - start) / 1000;
      const each = ((cpuMs() - cpu) * 1000) / count;
      rows.push([name, String(count), (count / seconds).toFixed(0), each.toFixed(0)]);
      await client
        .of(pods, namespace)
        .deleteCollection({ gracePeriodSeconds: 0, labelSelector: `app=${name}` });
    }
  });
} finally {
  load.close();
  await client.transport.close();
  await subject.stop();
}
const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
process.stdout.write(
  `${machine}, ${nodeCount} nodes\n\n${printTable(["WORKLOAD", "PODS", "PODS/S", "CPU µs/POD"], rows)}`,
);
