import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../src/client/client.ts";
import { HttpTransport } from "../src/client/http.ts";
import { loadKubeconfig, resolveContext } from "../src/client/kubeconfig.ts";
import { kernelName } from "../src/cluster/data-directory.ts";
import { systemClock } from "../src/util/clock.ts";
import { hostState } from "../test/e2e/host-state.ts";

/** Waits in real time: these programs look at other processes. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export interface OwnCluster {
  readonly child: ChildProcess;
  readonly client: Client;
}

/** Starts `knarr up` with real containers on a free port. @throws Error when it ends before it is ready */
export async function startOwnCluster(directory: string): Promise<OwnCluster> {
  const knarr = join(import.meta.dirname, "../bin/knarr.js");
  const line = ["up", "--runtime", "native", "--data-dir", directory, "--port", "0", "--output", "json"];
  const child = spawn(process.execPath, [knarr, ...line, "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const outcome = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  const [text]: readonly unknown[] = outcome;
  if (!Buffer.isBuffer(text)) throw new Error(`knarr up ended with ${String(text)}`);
  const { kubeconfig } = JSON.parse(text.toString()) as { kubeconfig: string };
  const { connection } = await resolveContext(await loadKubeconfig([kubeconfig]));
  return { child, client: new Client(new HttpTransport(connection, { clock: systemClock })) };
}

/** Returns what a cluster has left: mounts, links, routes, tables, cgroups and processes with one of its names. */
export function remainsOf(directory: string): readonly string[] {
  const commands = globSync("/proc/[0-9]*/cmdline").map((file) => {
    try {
      return readFileSync(file, "utf8").replaceAll("\0", " ");
    } catch {
      return ""; // It has ended.
    }
  });
  const lines = [...Object.values(hostState()).flat(), ...commands];
  return lines.filter((line) => line.includes(directory) || line.includes(kernelName(directory)));
}
