import { access, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Env } from "../../../util/env.ts";
import type { Resources, Usage } from "../../runtime.ts";
import { mountAttributes } from "../mount-attributes.ts";
import type { CgroupMount, Cgroups } from "./cgroups.ts";
import { childGroups, killAll, readNumber, removeTree, usageOf, writeSetting } from "./files.ts";

const controllers = "+cpu +memory +pids";

/**
 * cgroups version 2: one tree. A cgroup with processes cannot have children with controllers, so only the
 * leaves (containers, the supervisors) hold processes. Guards of devices are BPF programs here.
 */
export class CgroupsV2 implements Cgroups {
  readonly #root: string;
  readonly #env: Env;

  private constructor(root: string, env: Env) {
    this.#root = root;
    this.#env = env;
  }

  /** `mountPoint` may be any directory that behaves like the tree's root. */
  static async open(mountPoint: string, name: string, env: Env): Promise<CgroupsV2> {
    await writeSetting(join(mountPoint, "cgroup.subtree_control"), controllers);
    const cgroups = new CgroupsV2(join(mountPoint, name), env);
    await cgroups.#makeInner(cgroups.#root);
    return cgroups;
  }

  async create(path: string, resources: Resources): Promise<void> {
    const directory = join(this.#root, path);
    if (path.includes("/")) await this.#makeInner(dirname(directory));
    await mkdir(directory, { recursive: true });
    // As runc for the kubelet: an OOM kill ends the whole container.
    if (path.includes("/")) await writeSetting(join(directory, "memory.oom.group"), 1);
    await this.update(path, resources);
  }

  async update(path: string, resources: Resources): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes, pidsLimit } = resources;
    const set = (file: string, value: string | number) => writeSetting(join(this.#root, path, file), value);
    if (cpuShares !== undefined) await set("cpu.weight", cpuWeight(cpuShares));
    if (cpuQuota !== undefined)
      await set("cpu.max", `${cpuQuota > 0 ? cpuQuota : "max"} ${cpuPeriod ?? 100_000}`);
    if (memoryLimitBytes !== undefined)
      await set("memory.max", memoryLimitBytes > 0 ? memoryLimitBytes : "max");
    if (pidsLimit !== undefined) await set("pids.max", pidsLimit > 0 ? pidsLimit : "max");
  }

  joinFiles(path: string): readonly string[] {
    return [join(this.#root, path, "cgroup.procs")];
  }

  guardedDirectory(path: string): string {
    return join(this.#root, path);
  }

  oomFile(path: string): string {
    return join(this.#root, path, "memory.events");
  }

  /** The container's cgroup namespace makes its own cgroup the visible root. */
  mounts(): readonly CgroupMount[] {
    const { readOnly, noSuid, noDev, noExec } = mountAttributes;
    const attributes = readOnly | noSuid | noDev | noExec;
    return [{ target: "/sys/fs/cgroup", type: "cgroup2", options: "", attributes }];
  }

  async usage(path: string): Promise<Usage | undefined> {
    const read = (file: string, key?: string) => readNumber(join(this.#root, path, file), key);
    const micros = await read("cpu.stat", "usage_usec");
    return usageOf(
      micros === undefined ? undefined : micros * 1000,
      await read("memory.current"),
      await read("memory.stat", "inactive_file"),
    );
  }

  async kill(path: string): Promise<void> {
    const file = join(this.#root, path, "cgroup.kill"); // Since Linux 5.14.
    const atOnce = await access(file).then(
      () => true,
      () => false,
    );
    if (atOnce) await writeSetting(file, 1);
    else await killAll(join(this.#root, path), this.#env);
  }

  remove(path: string): Promise<void> {
    return removeTree(join(this.#root, path), this.#env);
  }

  children(path: string): Promise<readonly string[]> {
    return childGroups(join(this.#root, path));
  }

  async #makeInner(directory: string): Promise<void> {
    await mkdir(directory, { recursive: true });
    await writeSetting(join(directory, "cgroup.subtree_control"), controllers);
  }
}

/**
 * Converts shares (2 to 262,144) to a weight (1 to 10,000): the curve through 2→1, 1024→100 and 262144→10000
 * that runc and crun have used since 2025 (kubernetes/kubernetes#131216).
 */
export function cpuWeight(shares: number): number {
  if (shares <= 0) return 100;
  const level = Math.log2(Math.min(Math.max(shares, 2), 262_144));
  return Math.ceil(10 ** ((level * level + 125 * level) / 612 - 7 / 34));
}
