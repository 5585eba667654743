import { spawn } from "node:child_process";
import { once } from "node:events";
import { install } from "./installed.ts";
import type { Figure } from "./measures.ts";

/** A cluster under test. */
export interface Subject {
  readonly kubeconfig: string;
  /** The ids of the processes whose CPU and memory count. */
  readonly pids: readonly number[];
  /** The figures measured at the cluster's start. */
  readonly figures: readonly Figure[];
  readonly stop: () => Promise<void>;
}

/** A cluster of Knarr's. */
export interface KnarrSubject extends Subject {
  /** The path of the command, for further components. */
  readonly knarr: string;
}

/** Starts `knarr up` with simulated nodes and the durable store, as a process of its own. */
export async function startKnarr(nodes: string, ...flags: readonly string[]): Promise<KnarrSubject> {
  const { knarr, data, remove } = install();
  const line = [
    "up",
    "--runtime",
    "simulated",
    "--nodes",
    nodes,
    "--data-dir",
    data,
    "--port",
    "0",
    ...flags,
  ];
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [knarr, ...line, "--output", "json", "--cleanup", "--log-level", "error"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  const ready = performance.now() - start;
  return {
    knarr,
    kubeconfig: (JSON.parse(text.toString()) as { kubeconfig: string }).kubeconfig,
    pids: [child.pid ?? 0],
    figures: [{ name: `ready with ${nodes} nodes, from the process's start`, value: ready, unit: "ms" }],
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      remove();
    },
  };
}
