import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:https";
import { freePorts } from "../peer.ts";

/** Several schedulers that share the Pods of a cluster. */
export interface Shards {
  readonly pids: readonly number[];
  /** The number of bindings so far that were conflicts. */
  readonly conflicts: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts `knarr scheduler` so many times. */
export async function startShards(knarr: string, kubeconfig: string, total: number): Promise<Shards> {
  const ports = await freePorts(total);
  const children = ports.map((port, index) => {
    const line = [
      "scheduler",
      `--kubeconfig=${kubeconfig}`,
      `--shard=${index}`,
      `--total-shards=${total}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--authorization-always-allow-paths=/metrics",
      "--log-level=error",
    ];
    return spawn(process.execPath, [knarr, ...line], { stdio: ["ignore", "ignore", "inherit"] });
  });
  return {
    pids: children.map(({ pid }) => pid ?? 0),
    conflicts: async () => {
      const counts = await Promise.all(ports.map(async (port) => conflictsIn(await metricsAt(port))));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    stop: async () => {
      const ended = Promise.all(children.map((child) => once(child, "exit")));
      for (const child of children) child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Counts the creates that were conflicts: a scheduler creates bindings, and Events under names of their own. */
function conflictsIn(metrics: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith("rest_client_requests_total{"));
  const bindings = lines.filter((line) => line.includes('code="409"') && line.includes('method="POST"'));
  return bindings.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

async function metricsAt(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // The certificate was made at the scheduler's start.
  const request = get({ host: "127.0.0.1", port, path: "/metrics", rejectUnauthorized: false });
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`the metrics were answered with ${response.statusCode}`));
    });
  });
  return promise;
}
