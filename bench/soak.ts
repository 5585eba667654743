import { pause } from "./own-cluster.ts";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { configMaps, deployments, namespaces } from "../src/api/index.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { systemClock } from "../src/util/clock.ts";
import { startKnarr } from "./subject.ts";

/**
 * Churns for a while, then deletes everything and rests, to see that the server returns to the memory and disk of its
 * start.
 */
const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rest: { type: "string", default: "10" },
    nodes: { type: "string", default: "20" },
  },
});

const workers = 4;
const replicas = 40;
const memoryLimit = 1.5;
const diskLimit = 2;

const minutes = (text: string) => Number(text) * 60_000;
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const subject = await startKnarr(flags.nodes);
const { connection } = await resolveContext(await loadKubeconfig([subject.kubeconfig]));
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const [pid = 0] = subject.pids;
const data = dirname(subject.kubeconfig);

interface Sample {
  readonly memory: number;
  readonly disk: number;
}

/** Returns resident memory, and the size of the store's files. */
function sample(): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const files = readdirSync(data).filter((name) => name.startsWith("store.db"));
  return {
    memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024,
    disk: files.reduce((sum, name) => sum + statSync(join(data, name)).size, 0),
  };
}

function report(when: string): Sample {
  const now = sample();
  process.stdout.write(`${when.padEnd(24)} memory ${mib(now.memory)}, store ${mib(now.disk)}\n`);
  return now;
}

/** Runs one application's life: created, scaled, rolled out, deleted. */
async function churn(worker: number, round: number, namespace: string): Promise<void> {
  const name = `app-${worker}-${round}`;
  const all = client.of(deployments, namespace);
  const template = (image: string) => ({
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  });
  const scaled = (image: string, count: number) => ({
    metadata: { name },
    spec: { replicas: count, selector: { matchLabels: { app: name } }, template: template(image) },
  });
  const settled = async (count: number) => {
    for (let tries = 0; tries < 300; tries++) {
      const { status, metadata } = await all.get(name);
      if (status.observedGeneration === metadata.generation && status.availableReplicas === count) return;
      await pause(100);
    }
  };
  await client.of(configMaps, namespace).create({ metadata: { name }, data: { text: "x".repeat(10_000) } });
  await all.create(scaled("example/app:1", replicas));
  await settled(replicas);
  await all.apply(scaled("example/app:2", replicas / 2), { fieldManager: "soak", force: true });
  await settled(replicas / 2);
  await all.delete(name, { propagationPolicy: "Background" });
  await client.of(configMaps, namespace).delete(name);
}

try {
  await pause(60_000);
  const start = report("at rest, after the start");
  const until = performance.now() + minutes(flags.minutes);
  const names = Array.from({ length: workers }, (_, worker) => `soak-${worker}`);
  let rounds = 0;
  const peak = { memory: 0, disk: 0 };
  const watching = setInterval(() => {
    const { memory, disk } = sample();
    peak.memory = Math.max(peak.memory, memory);
    peak.disk = Math.max(peak.disk, disk);
  }, 1000);
  const work = names.map(async (namespace, worker) => {
    await client.of(namespaces).create({ metadata: { name: namespace } });
    for (let round = 0; performance.now() < until; round++) {
      await churn(worker, round, namespace);
      rounds += 1;
    }
    await client.of(namespaces).delete(namespace);
  });
  await Promise.all(work).finally(() => clearInterval(watching));
  process.stdout.write(`${rounds} Deployments of ${replicas} Pods made, rolled out and deleted\n`);
  process.stdout.write(`${"peak".padEnd(24)} memory ${mib(peak.memory)}, store ${mib(peak.disk)}\n`);
  report("after deletion");
  let end = start;
  for (let minute = 1; minute <= Number(flags.rest); minute++) {
    await pause(60_000);
    end = report(`${minute} min later`);
  }
  const [memory, disk] = [end.memory / start.memory, end.disk / start.disk];
  const isGood = memory <= memoryLimit && disk <= diskLimit;
  process.stdout.write(
    `memory ${memory.toFixed(2)} × the start (limit ${memoryLimit}), store ${disk.toFixed(2)} × (limit ${diskLimit}): ${isGood ? "good" : "too much"}\n`,
  );
  process.exitCode = isGood ? 0 : 1;
} finally {
  await client.transport.close();
  await subject.stop();
}
