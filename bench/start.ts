import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { pods } from "../src/api/index.ts";
import { systemClock } from "../src/util/clock.ts";
import { install, type Installed } from "./installed.ts";

/** Measures the times that a user waits for: `knarr up` with real containers, a Pod, and `startCluster`. */

/** The number of rounds; figures are their medians. */
const rounds = 9;
/** The number of Pods that are created at once. */
const many = 50;

async function up({ knarr, data }: Installed) {
  const line = [
    knarr,
    "up",
    "--data-dir",
    data,
    "--port",
    "0",
    "--output",
    "json",
    "--cleanup",
    "--log-level",
    "error",
  ];
  const start = performance.now();
  const child = spawn(process.execPath, line, { stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  const ready = performance.now() - start;
  const { kubeconfig, readyMs } = JSON.parse(text) as { kubeconfig: string; readyMs: number };
  const { connection } = await resolveContext(await loadKubeconfig([kubeconfig]));
  const client = new Client(new HttpTransport(connection, { clock: systemClock }));
  const first = await runsAfter(client, ["first"]);
  const later: number[] = [];
  for (let i = 0; i < rounds; i++) later.push(await runsAfter(client, [`later-${i}`]));
  // Memory at rest: a heap is given back only some seconds after the last work.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const memory =
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  const burst = await runsAfter(
    client,
    Array.from({ length: many }, (_, i) => `burst-${i}`),
  );
  await client.transport.close();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  // The first Pod also waits until the node is ready.
  return { ready, readyMs, first, later: median(later), burst, memory };
}

/** Measures the time to ready of a cluster with simulated nodes. */
async function upSimulated({ knarr, data }: Installed): Promise<number> {
  const line = [
    "up",
    "--runtime",
    "simulated",
    "--data-dir",
    data,
    "--port",
    "0",
    "--output",
    "json",
    "--cleanup",
  ];
  const start = performance.now();
  const child = spawn(process.execPath, [knarr, ...line], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const ready = performance.now() - start;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return ready;
}

/** Returns milliseconds from the first create until a watch shows the last Pod running. */
async function runsAfter(client: Client, names: readonly string[]): Promise<number> {
  const all = client.of(pods, "default");
  const { metadata } = await all.list();
  const missing = new Set(names);
  const stop = new AbortController();
  const options = { signal: stop.signal, resourceVersion: metadata.resourceVersion ?? "0" };
  const start = performance.now();
  const created = Promise.all(
    names.map((name) => {
      const containers = [{ name: "c", image: "knarr.local/host", command: ["sleep", "1000"] }];
      return all.create({ metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers } });
    }),
  );
  try {
    for await (const batch of all.watch(options)) {
      for (const { type, object } of batch) {
        if (type === "ERROR" || type === "BOOKMARK" || object.status.phase !== "Running") continue;
        missing.delete(object.metadata.name ?? "");
      }
      if (missing.size === 0) return performance.now() - start;
    }
  } finally {
    stop.abort();
    await created;
  }
  return Number.NaN;
}

async function embedded(): Promise<{ first: number; later: number }> {
  const { startCluster } = await import("../src/testing/index.ts");
  const times: number[] = [];
  for (let i = 0; i <= rounds; i++) {
    const start = performance.now();
    const cluster = await startCluster();
    times.push(performance.now() - start);
    await cluster.stop();
  }
  return { first: times[0] ?? Number.NaN, later: median(times.slice(1)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const installed = install();
// The first start compiles; the median is of starts that find everything compiled.
const outcomes = [await up(installed), await up(installed), await up(installed)];
const simulated: number[] = [];
for (let i = 0; i < rounds; i++) simulated.push(await upSimulated(installed));
installed.remove();
const of = (name: keyof (typeof outcomes)[number]) => median(outcomes.map((one) => one[name])).toFixed(0);
const { first, later } = await embedded();
process.stdout.write(
  printTable(
    ["MEASURE", "VALUE", "UNIT"],
    [
      ["knarr up: ready, from the process's start", of("ready"), "ms"],
      ["knarr up: ready, as it says itself", of("readyMs"), "ms"],
      ["knarr up --runtime simulated: ready, from the process's start", median(simulated).toFixed(0), "ms"],
      ["the first Pod of the host image: Running, from its create", of("first"), "ms"],
      ["later ones, one at a time", of("later"), "ms"],
      ["fifty at once: the last one Running", of("burst"), "ms"],
      ["knarr up with ten Pods: resident memory", of("memory"), "MB"],
      ["startCluster, the first after the import", first.toFixed(0), "ms"],
      ["startCluster, later ones", later.toFixed(0), "ms"],
    ],
  ),
);
