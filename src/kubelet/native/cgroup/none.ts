import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { sleep } from "../../../util/clock.ts";
import type { Env } from "../../../util/env.ts";
import { readHandle, signal } from "../../process-handle.ts";
import type { Usage } from "../../runtime.ts";
import type { CgroupMount, Cgroups } from "./cgroups.ts";

const attempts = 200;
const pauseMs = 5;

/**
 * No cgroups, for a user who may not make any: nothing is limited. The processes of a container are found by their root, whose
 * mount names the container's directory and which no container can change. Other users' processes are not looked at.
 */
export class NoCgroups implements Cgroups {
  readonly #containers: string;
  readonly #env: Env;
  #search: Promise<ReadonlyMap<string, readonly number[]>> | undefined;

  /** `containers` is the directory with one for each container. */
  constructor(containers: string, env: Env) {
    this.#containers = containers;
    this.#env = env;
  }

  create(): Promise<void> {
    return Promise.resolve();
  }

  update(): Promise<void> {
    return Promise.resolve();
  }

  joinFiles(): readonly string[] {
    return [];
  }

  guardedDirectory(): undefined {
    return undefined;
  }

  /** No such file exists: no kill is counted. */
  oomFile(path: string): string {
    return join(this.#containers, basename(path), "oom");
  }

  mounts(): readonly CgroupMount[] {
    return [];
  }

  /** The sum of the processes that run, with the processor time of the children that they have waited for. */
  async usage(path: string): Promise<Usage | undefined> {
    // Containers are measured at once: one search serves them all.
    const search = (this.#search ??= processesBelow(this.#containers).finally(
      () => (this.#search = undefined),
    ));
    const pids = (await search).get(basename(path));
    if (pids === undefined) return undefined;
    const usages = await Promise.all(pids.map(usageOf));
    return {
      cpuNanos: usages.reduce((sum, { cpuNanos }) => sum + cpuNanos, 0),
      memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    };
  }

  /** `path` is `<sandbox>/<container>`, or empty for all; a sandbox has no processes but its containers'. */
  async kill(path: string): Promise<void> {
    if (path !== "" && !path.includes("/")) return;
    const container = basename(path);
    if (container !== "") await killFirst(join(this.#containers, container));
    for (let attempt = 0; attempt < attempts; attempt++) {
      const all = await processesBelow(this.#containers);
      const found = container === "" ? [...all.values()].flat() : (all.get(container) ?? []);
      if (found.length === 0) return;
      for (const pid of found) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended already.
        }
      }
      await sleep(this.#env.clock, pauseMs);
    }
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  children(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/** Kills the first process even before it has its root. With it end all others of its PID namespace. */
async function killFirst(directory: string): Promise<void> {
  const first = await readHandle(join(directory, "init"));
  if (first !== undefined) await signal(first, "SIGKILL");
}

/** Returns the processes of each container: those whose root writes to `<directory>/<container>`. */
async function processesBelow(directory: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const own = await readlink("/proc/self/ns/user");
  const start = `upperdir=${directory}/`;
  const found = new Map<string, number[]>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const namespace = await readlink(`/proc/${pid}/ns/user`).catch(() => "");
    if (namespace !== own) continue;
    const mounts = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
    const root = mounts.split("\n").find((line) => line.split(" ")[4] === "/") ?? "";
    const at = root.indexOf(start);
    const [container = ""] = at < 0 ? [] : root.slice(at + start.length).split("/");
    if (container !== "") found.set(container, [...(found.get(container) ?? []), Number(pid)]);
  }
  return found;
}

/** The unit of times in /proc, on every machine that Node runs on. */
const nanosPerTick = 1e7;
const pageBytes = 4096;

/** Returns what a process uses (proc_pid_stat(5), proc_pid_statm(5)); nothing when it has ended. */
async function usageOf(pid: number): Promise<Usage> {
  const [stat, statm] = await Promise.all(
    ["stat", "statm"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
  );
  const fields = (stat ?? "").slice((stat ?? "").lastIndexOf(")") + 2).split(" ");
  // utime, stime, cutime and cstime: the 14th to the 17th field.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const [, resident = 0, shared = 0] = (statm ?? "").split(" ").map(Number);
  return { cpuNanos: ticks * nanosPerTick, memoryBytes: Math.max(0, resident - shared) * pageBytes };
}
