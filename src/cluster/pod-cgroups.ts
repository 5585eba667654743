import { readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { PodCgroups } from "../kubelet/cri/options.ts";
import { openCgroups } from "../kubelet/native/cgroup/open-cgroups.ts";
import type { Env } from "../util/env.ts";

/** Makes the cgroups of Pods below a root of this name, for a container runtime that uses cgroupfs. */
export async function podCgroups(name: string, env: Env): Promise<PodCgroups> {
  const cgroups = await openCgroups(name, env);
  return {
    async create(pod, resources) {
      await cgroups.create(pod, resources, false);
      return `/${name}/${pod}`;
    },
    update: (pod, resources) => cgroups.update(pod, resources),
    async remove(pod) {
      await cgroups.remove(pod);
      // The runtime makes the same cgroup for every controller. The root goes with its last Pod.
      for (const mount of await cgroupMounts())
        for (const path of [join(mount, name, pod), join(mount, name)]) await rmdir(path).catch(() => {});
    },
  };
}

/** Returns where cgroups are mounted (proc_pid_mountinfo(5)). */
async function cgroupMounts(): Promise<readonly string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  return lines.filter((line) => / - cgroup2? /.test(line)).map((line) => line.split(" ")[4] ?? "");
}
