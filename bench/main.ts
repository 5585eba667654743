import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { systemClock } from "../src/util/clock.ts";
import { Load } from "./load.ts";
import { type Figure, inNamespace, type Measured, measures } from "./measures.ts";

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    /** The processes of the cluster of that kubeconfig, for their CPU and memory. */
    pids: { type: "string" },
    nodes: { type: "string", default: "100" },
    only: { type: "string", default: Object.keys(measures).join(",") },
    output: { type: "string", default: "text" },
  },
});

/** Connections that the load is spread over. */
const connections = 8;

interface OwnCluster {
  readonly process: ChildProcess;
  readonly kubeconfig: string;
  readonly figures: readonly Figure[];
}

/** Without a kubeconfig: `knarr up` with simulated nodes and the durable store, as a process of its own. */
async function startCluster(): Promise<OwnCluster> {
  const directory = mkdtempSync(join(tmpdir(), "knarr-bench-"));
  const knarr = join(import.meta.dirname, "../bin/knarr.js");
  const line = [
    "up",
    "--runtime",
    "simulated",
    "--nodes",
    flags.nodes,
    "--data-dir",
    directory,
    "--port",
    "0",
  ];
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [knarr, ...line, "--output", "json", "--cleanup", "--log-level", "error"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const text = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  const ready = performance.now() - start;
  const { kubeconfig } = JSON.parse(text) as { kubeconfig: string };
  const figures = [
    { name: `ready with ${flags.nodes} nodes, from the process's start`, value: ready, unit: "ms" },
    { name: "memory then", value: residentMegabytes(child.pid ?? 0), unit: "MB" },
  ];
  return { process: child, kubeconfig, figures };
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** CPU time of a process so far, in milliseconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const own = flags.kubeconfig === undefined ? await startCluster() : undefined;
const config = await loadKubeconfig([flags.kubeconfig ?? own?.kubeconfig ?? ""]);
const { connection } = await resolveContext(config);
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const load = new Load(connection, connections);
const pids =
  own === undefined ? (flags.pids ?? "").split(",").filter(Boolean).map(Number) : [own.process.pid ?? 0];
const cpu = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
const resident = () => pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0);
const figures: Figure[] = [...(own?.figures ?? [])];

await inNamespace(client, async (namespace) => {
  for (const name of flags.only.split(",")) {
    const measure = measures[name];
    if (measure === undefined)
      throw new Error(`Cannot measure ${name}: there are ${Object.keys(measures).join(", ")}`);
    const before = cpu();
    const measured = await measure({ client, load, namespace });
    const used = cpu() - before;
    figures.push(...measured.figures);
    if (pids.length > 0) figures.push(...costs(name, measured, used));
    await measured.clean();
  }
});

function costs(name: string, measured: Measured, used: number): readonly Figure[] {
  const { count } = measured.figures.find((figure) => figure.count !== undefined) ?? {};
  return [
    count === undefined
      ? { name: `the server's CPU for ${name}`, value: used, unit: "ms" }
      : { name: `the server's CPU for each of ${name}`, value: (used * 1000) / count, unit: "µs" },
    { name: `the server's memory after ${name}`, value: resident(), unit: "MB" },
  ];
}

const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
if (flags.output === "json") {
  process.stdout.write(`${JSON.stringify({ machine, figures })}\n`);
} else {
  const rows = figures.map(({ name, value, unit }) => [name, value.toFixed(value < 100 ? 1 : 0), unit]);
  process.stdout.write(`${machine}\n\n${printTable(["MEASURE", "VALUE", "UNIT"], rows)}`);
}
load.close();
await client.transport.close();
own?.process.kill("SIGTERM");
