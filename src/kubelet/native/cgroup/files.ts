import { readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../../util/clock.ts";
import type { Env } from "../../../util/env.ts";

/** Writes one setting. @throws Error that names file and value, unlike the kernel's own error. */
export async function writeSetting(file: string, value: string | number): Promise<void> {
  try {
    await writeFile(file, String(value));
  } catch (error) {
    throw new Error(`Cannot set ${file} to ${value}`, { cause: error });
  }
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
