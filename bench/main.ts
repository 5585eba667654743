import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { printTable } from "../src/cli/output/table.ts";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { systemClock } from "../src/util/clock.ts";
import { cpuOf } from "./cpu.ts";
import { Load } from "./load.ts";
import { type Figure, inNamespace, type Measured, measures } from "./measures.ts";
import { startPeer } from "./peer.ts";
import { startKnarr, type Subject } from "./subject.ts";

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    /** The process ids of the cluster that the kubeconfig names. */
    pids: { type: "string", default: "" },
    "kube-apiserver": { type: "string" },
    etcd: { type: "string", default: "etcd" },
    nodes: { type: "string", default: "100" },
    only: { type: "string" },
    output: { type: "string", default: "text" },
  },
});

/** The number of connections that the load is spread over: upstream allows 100 streams on each. */
const connections = 16;

async function subjectOf(): Promise<Subject> {
  const { kubeconfig, pids, etcd, "kube-apiserver": kubeApiserver } = flags;
  if (kubeApiserver !== undefined) return startPeer({ etcd, kubeApiserver });
  if (kubeconfig === undefined) return startKnarr(flags.nodes);
  const numbers = pids === "" ? [] : pids.split(",").map(Number);
  return { kubeconfig, pids: numbers, figures: [], stop: () => Promise.resolve() };
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const subject = await subjectOf();
const { connection } = await resolveContext(await loadKubeconfig([subject.kubeconfig]));
const client = new Client(new HttpTransport(connection, { clock: systemClock }));
const load = new Load(connection, connections);
const sum = (of: (pid: number) => number) => subject.pids.reduce((all, pid) => all + of(pid), 0);
const figures: Figure[] = [...subject.figures];

/** False without nodes, and for upstream's API server alone: Pods cannot run there. */
const runsPods = flags["kube-apiserver"] === undefined && flags.nodes !== "0";
const possible = Object.keys(measures).filter((name) => name !== "run" || runsPods);

try {
  await inNamespace(client, async (namespace) => {
    for (const name of flags.only?.split(",") ?? possible) {
      const measure = measures[name];
      if (measure === undefined) throw new Error(`Cannot measure ${name}: there are ${possible.join(", ")}`);
      let before = sum(cpuOf);
      const begin = () => (before = sum(cpuOf));
      const measured = await measure({ client, load, namespace, begin });
      const used = sum(cpuOf) - before;
      figures.push(...measured.figures);
      if (subject.pids.length > 0) figures.push(...costs(name, measured, used));
      await measured.clean();
    }
  });
} finally {
  load.close();
  await client.transport.close();
  await subject.stop();
}

function costs(name: string, measured: Measured, used: number): readonly Figure[] {
  const { count } = measured.figures.find((figure) => figure.count !== undefined) ?? {};
  return [
    count === undefined
      ? { name: `the server's CPU for ${name}`, value: used, unit: "ms" }
      : { name: `the server's CPU for each of ${name}`, value: (used * 1000) / count, unit: "µs" },
    { name: `the server's memory after ${name}`, value: sum(residentMegabytes), unit: "MB" },
  ];
}

const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}`;
if (flags.output === "json") {
  process.stdout.write(`${JSON.stringify({ machine, figures })}\n`);
} else {
  const rows = figures.map(({ name, value, unit }) => [name, value.toFixed(value < 100 ? 1 : 0), unit]);
  process.stdout.write(`${machine}\n\n${printTable(["MEASURE", "VALUE", "UNIT"], rows)}`);
}
