import { readFile } from "node:fs/promises";
import type { Env } from "../../../util/env.ts";
import type { Cgroups } from "./cgroups.ts";
import { CgroupsV1 } from "./v1.ts";
import { CgroupsV2 } from "./v2.ts";

/** Detects the version that controls memory: on hybrid machines that is version 1. */
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

/** Parses proc_pid_mountinfo(5). */
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
