import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAlive, parseStat } from "../kubelet/process-handle.ts";
import { writePrivate } from "./write-private.ts";

/** The file about a cluster's process in its directory, for `status` and `down`. It holds no secret. */
export interface Running {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same PID; empty on systems that do not report it. */
  readonly startTime: string;
  /** Undefined until the cluster is ready. */
  readonly ready?: {
    readonly context: string;
    readonly server: string;
    readonly kubeconfig: string;
    /** PEM of the authority that signs the server's certificate. */
    readonly ca: string;
    readonly runtime: string;
    readonly nodes: number;
    /** Wall time in milliseconds. */
    readonly since: number;
  };
}

const fileName = "running.json";

/** The caller holds the directory's lock. */
export function writeRunning(directory: string, ready?: Running["ready"]): void {
  const { pid } = process;
  const stat = existsSync("/proc/self/stat") ? readFileSync("/proc/self/stat", "utf8") : "";
  const running: Running = {
    pid,
    startTime: parseStat(stat)?.startTime ?? "",
    ...(ready === undefined ? {} : { ready }),
  };
  writePrivate(join(directory, fileName), JSON.stringify(running), { mode: 0o644 });
}

export function removeRunning(directory: string): void {
  rmSync(join(directory, fileName), { force: true });
}

/**
 * Returns the process that uses the directory; undefined without one, and before the process has written the
 * file.
 */
export async function readRunning(directory: string): Promise<Running | undefined> {
  const path = join(directory, fileName);
  if (!existsSync(path)) return undefined;
  const running = JSON.parse(readFileSync(path, "utf8")) as Running;
  const isKnown = running.startTime !== "";
  return !isKnown || (await isAlive(running)) ? running : undefined;
}
