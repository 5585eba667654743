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
import { type Figure, inNamespace, measures } from "./measures.ts";

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
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
    { name: "memory then", value: residentMegabytes(child), unit: "MB" },
  ];
  return { process: child, kubeconfig, figures };
}

function residentMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** CPU time of a process so far, in seconds. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const own = flags.kubeconfig === undefined ? await startCluster() : undefined;
const config = await loadKubeconfig([flags.kubeconfig ?? own?.kubeconfig ?? ""]);
const { connection } = await resolveContext(config);
const clients = Array.from(
  { length: connections },
  () => new Client(new HttpTransport(connection, { clock: systemClock })),
);
const [admin] = clients;
if (admin === undefined) throw new TypeError("there is at least one client");
const figures: Figure[] = [...(own?.figures ?? [])];

await inNamespace(admin, async (namespace) => {
  for (const name of flags.only.split(",")) {
    const measure = measures[name];
    if (measure === undefined)
      throw new Error(`Cannot measure ${name}: there are ${Object.keys(measures).join(", ")}`);
    const before = own === undefined ? 0 : cpuSeconds(own.process);
    figures.push(...(await measure({ clients, namespace })));
    if (own !== undefined)
      figures.push({
        name: `the server's CPU for ${name}`,
        value: cpuSeconds(own.process) - before,
        unit: "s",
      });
  }
});

const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
if (flags.output === "json") {
  process.stdout.write(`${JSON.stringify({ machine, figures })}\n`);
} else {
  const rows = figures.map(({ name, value, unit }) => [name, value.toFixed(value < 100 ? 1 : 0), unit]);
  process.stdout.write(`${machine}\n\n${printTable(["MEASURE", "VALUE", "UNIT"], rows)}`);
}
await Promise.all(clients.map((client) => client.transport.close()));
own?.process.kill("SIGTERM");
