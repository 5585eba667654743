import { readFile } from "node:fs/promises";
import type { Env } from "../../../util/env.ts";
import type { Resources } from "../../runtime.ts";
import { CgroupsV1 } from "./v1.ts";
import { CgroupsV2 } from "./v2.ts";

/** A mount that shows a container its own groups. Paths are inside the container. */
export interface CgroupMount {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: string;
}

/**
 * Groups below one root group, named by path: a sandbox's ID, or `<sandbox>/<container>`. One implementation for
 * each version of the kernel's interface.
 */
export interface Cgroups {
  /** Makes a group with its limits. `guardDevices` forbids all but the harmless ones, where the version can. */
  create(path: string, resources: Resources, guardDevices: boolean): Promise<void>;
  update(path: string, resources: Resources): Promise<void>;
  /** A process joins by writing `0` into each of these files. */
  joinFiles(path: string): readonly string[];
  /** A file with a line `oom_kill <count>`. */
  oomFile(path: string): string;
  mounts(path: string): readonly CgroupMount[];
  /** Kills every process in the group and below. */
  kill(path: string): Promise<void>;
  /** Removes the group and all below; they hold no process any more, or are about to. */
  remove(path: string): Promise<void>;
  /** Names directly below `path`. */
  children(path: string): Promise<readonly string[]>;
}

/** Finds out which version governs memory here: on hybrid machines that is version 1. */
export async function openCgroups(name: string, env: Env): Promise<Cgroups> {
  const mounts = parseMounts(await readFile("/proc/self/mountinfo", "utf8"));
  const unified = mounts.find((mount) => mount.type === "cgroup2");
  const controllers =
    unified && (await readFile(`${unified.target}/cgroup.controllers`, "utf8").catch(() => ""));
  if (unified !== undefined && /\bmemory\b/.test(controllers ?? "")) {
    return CgroupsV2.open(unified.target, name, env);
  }
  const hierarchies = new Map<string, string>();
  for (const mount of mounts) {
    if (mount.type !== "cgroup") continue;
    for (const option of mount.options) hierarchies.set(option, mount.target);
  }
  for (const needed of ["cpu", "cpuacct", "memory", "pids"]) {
    if (!hierarchies.has(needed)) throw new Error(`Cannot run containers: no cgroup controller ${needed}`);
  }
  return new CgroupsV1(hierarchies, name, env);
}

/** proc_pid_mountinfo(5). */
function parseMounts(
  mountinfo: string,
): readonly { type: string; target: string; options: readonly string[] }[] {
  return mountinfo
    .trim()
    .split("\n")
    .map((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [type = "", , options = ""] = after.split(" ");
      return { type, target: before.split(" ")[4] ?? "", options: options.split(",") };
    });
}
