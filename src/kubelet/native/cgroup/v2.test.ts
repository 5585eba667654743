import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../util/clock.ts";
import { silentLogger } from "../../../util/logger.ts";
import { systemRandom } from "../../../util/random.ts";
import { CgroupsV2, cpuWeight } from "./v2.ts";

// A plain directory replaces the tree: it shows which settings are written, not that the kernel accepts them.
const env = { clock: systemClock, random: systemRandom, log: silentLogger };
let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), "knarr-cgroup-"))));
afterEach(() => rm(root, { recursive: true }));

const setting = (...path: readonly string[]) => readFile(join(root, ...path), "utf8");

test("limits are written to the files of version 2, below groups that delegate their controllers", async () => {
  const cgroups = await CgroupsV2.open(root, "knarr", env);
  const resources = {
    cpuShares: 1024,
    cpuQuota: 50_000,
    cpuPeriod: 100_000,
    memoryLimitBytes: 1 << 20,
    pidsLimit: 10,
  };
  await cgroups.create("pod", resources);
  await cgroups.create("pod/container", { ...resources, cpuQuota: -1 });
  expect(await setting("knarr/cgroup.subtree_control")).toBe("+cpu +memory +pids");
  expect(await setting("knarr/pod/cgroup.subtree_control")).toBe("+cpu +memory +pids");
  expect(await setting("knarr/pod/cpu.max")).toBe("50000 100000");
  expect(await setting("knarr/pod/container/cpu.max")).toBe("max 100000");
  expect(await setting("knarr/pod/container/cpu.weight")).toBe("100");
  expect(await setting("knarr/pod/container/memory.max")).toBe(String(1 << 20));
  expect(await setting("knarr/pod/container/pids.max")).toBe("10");
  expect(await setting("knarr/pod/container/memory.oom.group")).toBe("1");
  expect(cgroups.joinFiles("pod/container")).toEqual([join(root, "knarr/pod/container/cgroup.procs")]);
});

test.each([
  [0, 100],
  [2, 1],
  [102, 17],
  [1024, 100],
  [262_144, 10_000],
  [1_000_000, 10_000],
])("%i shares weigh %i", (shares, weight) => {
  expect(cpuWeight(shares)).toBe(weight);
});
