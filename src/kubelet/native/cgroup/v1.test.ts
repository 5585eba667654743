import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../util/clock.ts";
import { silentLogger } from "../../../util/logger.ts";
import { systemRandom } from "../../../util/random.ts";
import { cgroupsSuite } from "./cgroups.suite.ts";
import { CgroupsV1 } from "./v1.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const controllers = ["cpu", "cpuacct", "memory", "pids", "devices", "freezer"];
const hierarchies = new Map(controllers.map((controller) => [controller, `/sys/fs/cgroup/${controller}`]));
const isThere = [...hierarchies.values()].every((tree) => existsSync(`${tree}/cgroup.procs`));
const title = "cgroups version 1";

let opened = 0;
async function open() {
  const name = `knarr-cgroup-test-${process.pid}-${opened++}`;
  const cgroups = new CgroupsV1(hierarchies, name, env);
  await cgroups.create("", {}, false);
  const read = async (path: string, controller: string, file: string) =>
    Number(await readFile(`/sys/fs/cgroup/${controller}/${name}/${path}/${file}`, "utf8"));
  return {
    name,
    cgroups,
    async limits(path: string) {
      const quota = await read(path, "cpu", "cpu.cfs_quota_us");
      const memory = await read(path, "memory", "memory.limit_in_bytes");
      const pids = await read(path, "pids", "pids.max");
      return {
        ...(quota > 0 && { cpuQuota: quota }),
        ...(memory < 2 ** 62 && { memoryLimitBytes: memory }),
        ...(!Number.isNaN(pids) && { pidsLimit: pids }),
      };
    },
    share: (path: string) => read(path, "cpu", "cpu.shares"),
    dispose: async () => {
      await cgroups.kill("");
      await cgroups.remove("");
    },
  };
}

describe.skipIf(!isThere || process.getuid?.() !== 0)(title, () => {
  cgroupsSuite(title, { kernel: true }, open);

  test("a guarded group opens only harmless devices, and may make any node", async () => {
    const { name, cgroups, dispose } = await open();
    await cgroups.create("pod", {}, true);
    await cgroups.create("free", {}, false);
    const list = (path: string) => readFile(`/sys/fs/cgroup/devices/${name}/${path}/devices.list`, "utf8");
    expect((await list("pod")).trim().split("\n").sort()).toEqual([
      "b *:* m",
      "c *:* m",
      ...["136:*", "1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:1", "5:2"].map((node) => `c ${node} rwm`),
    ]);
    expect((await list("free")).trim()).toBe("a *:* rwm");
    await dispose();
  });
});
