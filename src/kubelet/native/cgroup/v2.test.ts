import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../util/clock.ts";
import { silentLogger } from "../../../util/logger.ts";
import { systemRandom } from "../../../util/random.ts";
import { cgroupsSuite } from "./cgroups.suite.ts";
import { CgroupsV2, cpuWeight } from "./v2.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const title = "cgroups version 2";

/** The mount point of a tree that governs memory; hybrid machines have none. */
const mountPoint = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].find((tree) => {
  const file = `${tree}/cgroup.controllers`;
  return existsSync(file) && /\bmemory\b/.test(readFileSync(file, "utf8"));
});

/** A file's numbers; `max` and a file that was never written are no number. */
async function numbers(file: string): Promise<readonly number[]> {
  const text = await readFile(file, "utf8").catch(() => "max");
  return text.trim().split(" ").map(Number);
}

async function openAt(root: string, dispose: () => Promise<void>) {
  const name = `knarr-cgroup-test-${process.pid}`;
  const cgroups = await CgroupsV2.open(root, name, env);
  const at = (...path: readonly string[]) => join(root, name, ...path);
  return {
    at,
    cgroups,
    async limits(path: string) {
      const [quota = NaN] = await numbers(at(path, "cpu.max"));
      const [memory = NaN] = await numbers(at(path, "memory.max"));
      const [pids = NaN] = await numbers(at(path, "pids.max"));
      return {
        ...(!Number.isNaN(quota) && { cpuQuota: quota }),
        ...(!Number.isNaN(memory) && { memoryLimitBytes: memory }),
        ...(!Number.isNaN(pids) && { pidsLimit: pids }),
      };
    },
    share: async (path: string) => (await numbers(at(path, "cpu.weight")))[0] ?? NaN,
    dispose,
  };
}

/** A plain directory in the place of the tree: it shows what is written where, not that the kernel takes it. */
async function openDirectory() {
  const root = await mkdtemp(join(tmpdir(), "knarr-cgroup-"));
  return openAt(root, () => rm(root, { recursive: true }));
}

cgroupsSuite(`${title} in a directory`, { kernel: false }, openDirectory);

describe.skipIf(mountPoint === undefined || process.getuid?.() !== 0)(`${title} of this machine`, () => {
  cgroupsSuite(title, { kernel: true }, async () => {
    const under = await openAt(mountPoint ?? "", async () => {
      await under.cgroups.kill("");
      await under.cgroups.remove("");
    });
    return under;
  });
});

test("groups that hold groups delegate their controllers, and an OOM kill ends a container as a whole", async () => {
  const { at, cgroups, dispose } = await openDirectory();
  await cgroups.create("pod", {});
  await cgroups.create("pod/main", { cpuQuota: -1 });
  for (const inner of [at(), at("pod")])
    expect(await readFile(join(inner, "cgroup.subtree_control"), "utf8")).toBe("+cpu +memory +pids");
  expect(await readFile(at("pod", "main", "memory.oom.group"), "utf8")).toBe("1");
  expect(await readFile(at("pod", "main", "cpu.max"), "utf8")).toBe("max 100000");
  expect(existsSync(at("pod", "main", "cgroup.subtree_control"))).toBe(false);
  await dispose();
});

test("the usage is the CPU time and the memory without inactive cached files", async () => {
  const { at, cgroups, dispose } = await openDirectory();
  await cgroups.create("pod/main", {});
  await writeFile(at("pod", "main", "cpu.stat"), "usage_usec 1500\nuser_usec 900\n");
  await writeFile(at("pod", "main", "memory.current"), "10000\n");
  expect(await cgroups.usage("pod/main")).toEqual({ cpuNanos: 1_500_000, memoryBytes: 10_000 });
  await writeFile(
    at("pod", "main", "memory.stat"),
    "anon 10\ninactive_file_pages 1\ninactive_file 4000\nactive_file 7\n",
  );
  expect(await cgroups.usage("pod/main")).toMatchObject({ memoryBytes: 6_000 });
  await writeFile(at("pod", "main", "memory.current"), "3000\n");
  expect(await cgroups.usage("pod/main")).toMatchObject({ memoryBytes: 0 });
  await writeFile(at("pod", "main", "cpu.stat"), "nr_periods 5\n");
  expect(await cgroups.usage("pod/main")).toBeUndefined();
  await dispose();
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
