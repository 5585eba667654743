import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Env } from "../../../util/env.ts";
import type { Resources, Usage } from "../../runtime.ts";
import { mountAttributes } from "../mount-attributes.ts";
import type { CgroupMount, Cgroups } from "./cgroups.ts";
import { allowedDevices } from "./device-guard.ts";
import { childGroups, killAll, readNumber, removeTree, usageOf, writeSetting } from "./files.ts";

/**
 * Used where mounted. `name=systemd` only keeps a service manager from attributing containers to Knarr's
 * service.
 */
const wanted = ["cpu", "cpuacct", "memory", "pids", "devices", "freezer", "name=systemd"];

/** Creating nodes is allowed, because it gives no access by itself. */
const deviceRules = [
  "c *:* m",
  "b *:* m",
  ...allowedDevices.map(([major, minor]) => `c ${major}:${minor ?? "*"} rwm`),
];

/** cgroups version 1: one tree for each controller. */
export class CgroupsV1 implements Cgroups {
  readonly #trees: ReadonlyMap<string, string>;
  readonly #env: Env;

  /** `hierarchies`: mount point by controller. */
  constructor(hierarchies: ReadonlyMap<string, string>, name: string, env: Env) {
    const present = wanted.filter((controller) => hierarchies.has(controller));
    this.#trees = new Map(
      present.map((controller) => [controller, join(hierarchies.get(controller) ?? "", name)]),
    );
    this.#env = env;
  }

  async create(path: string, resources: Resources, guardDevices: boolean): Promise<void> {
    for (const tree of this.#directories()) await mkdir(join(tree, path), { recursive: true });
    if (guardDevices && this.#trees.has("devices")) {
      await writeSetting(this.#file("devices", path, "devices.deny"), "a");
      const allow = this.#file("devices", path, "devices.allow");
      for (const rule of deviceRules) await writeSetting(allow, rule);
    }
    await this.update(path, resources);
  }

  async update(path: string, resources: Resources): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes, pidsLimit } = resources;
    const settings: readonly [string, string, number | string | undefined][] = [
      ["cpu", "cpu.shares", cpuShares && Math.max(2, cpuShares)],
      ["cpu", "cpu.cfs_period_us", cpuPeriod],
      ["cpu", "cpu.cfs_quota_us", limitOr(-1, cpuQuota)],
      ["memory", "memory.limit_in_bytes", limitOr(-1, memoryLimitBytes)],
      ["pids", "pids.max", limitOr("max", pidsLimit)],
    ];
    for (const [controller, file, value] of settings) {
      if (value !== undefined) await writeSetting(this.#file(controller, path, file), value);
    }
  }

  joinFiles(path: string): readonly string[] {
    return this.#directories().map((tree) => join(tree, path, "cgroup.procs"));
  }

  /** `create` guards the devices. */
  guardedDirectory(): undefined {}

  oomFile(path: string): string {
    return this.#file("memory", path, "memory.oom_control");
  }

  mounts(path: string): readonly CgroupMount[] {
    const { noSuid, noDev, noExec } = mountAttributes;
    const base = {
      target: "/sys/fs/cgroup",
      type: "tmpfs",
      options: "mode=755",
      attributes: noSuid | noDev | noExec,
    };
    const controllers = [...this.#trees].filter(([controller]) => !controller.includes("="));
    return [
      base,
      ...controllers.map(([controller, tree]) => ({
        source: join(tree, path),
        target: `/sys/fs/cgroup/${controller}`,
      })),
    ];
  }

  async usage(path: string): Promise<Usage | undefined> {
    return usageOf(
      await readNumber(this.#file("cpuacct", path, "cpuacct.usage")),
      await readNumber(this.#file("memory", path, "memory.usage_in_bytes")),
      await readNumber(this.#file("memory", path, "memory.stat"), "total_inactive_file"),
    );
  }

  kill(path: string): Promise<void> {
    return killAll(join(this.#trees.get("pids") ?? "", path), this.#env);
  }

  async remove(path: string): Promise<void> {
    for (const tree of this.#directories()) await removeTree(join(tree, path), this.#env);
  }

  async children(path: string): Promise<readonly string[]> {
    const names = await Promise.all(this.#directories().map((tree) => childGroups(join(tree, path))));
    return [...new Set(names.flat())];
  }

  /** Controllers may share a tree. */
  #directories(): readonly string[] {
    return [...new Set(this.#trees.values())];
  }

  #file(controller: string, path: string, file: string): string {
    return join(this.#trees.get(controller) ?? "", path, file);
  }
}

/** A limit that is no positive number is none: each file has a word of its own for that. */
function limitOr(unlimited: number | string, limit: number | undefined): number | string | undefined {
  return limit === undefined || limit > 0 ? limit : unlimited;
}
