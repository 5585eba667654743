import { readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../../util/clock.ts";
import type { Env } from "../../../util/env.ts";
import type { Usage } from "../../runtime.ts";

/** Writes one setting. @throws Error that names file and value, unlike the kernel's own error. */
export async function writeSetting(file: string, value: string | number): Promise<void> {
  try {
    await writeFile(file, String(value));
  } catch (error) {
    throw new Error(`Cannot set ${file} to ${value}`, { cause: error });
  }
}

/** Returns a number from a file, or from its line that begins with `key`; undefined when there is none. */
export async function readNumber(file: string, key?: string): Promise<number | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const found = key === undefined ? text : text.split("\n").find((line) => line.startsWith(`${key} `));
  const digits = (found ?? "").slice(key === undefined ? 0 : key.length).trim();
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

/** Returns the usage; undefined when a part of it is unknown. Cached files that are not active are free memory. */
export function usageOf(
  cpuNanos: number | undefined,
  memoryBytes: number | undefined,
  inactiveBytes = 0,
): Usage | undefined {
  if (cpuNanos === undefined || memoryBytes === undefined) return undefined;
  return { cpuNanos, memoryBytes: Math.max(0, memoryBytes - inactiveBytes) };
}

export async function childGroups(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** The kernel returns EBUSY until the last killed process is reaped, which takes a few milliseconds. */
const attempts = 200;
const pauseMs = 5;

export async function removeTree(directory: string, env: Env): Promise<void> {
  for (const child of await childGroups(directory)) await removeTree(join(directory, child), env);
  for (let attempt = 1; ; attempt++) {
    try {
      return await rmdir(directory);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || attempt === attempts) throw error;
    }
    await sleep(env.clock, pauseMs);
  }
}

/** Kills all processes of a cgroup by PID until it is empty, because new ones may be forked meanwhile. */
export async function killAll(directory: string, env: Env): Promise<void> {
  for (const child of await childGroups(directory)) await killAll(join(directory, child), env);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const pids = (await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "")).trim();
    if (pids === "") return;
    for (const pid of pids.split("\n")) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended already.
      }
    }
    await sleep(env.clock, pauseMs);
  }
}
