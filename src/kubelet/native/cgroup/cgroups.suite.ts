import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Resources } from "../../runtime.ts";
import type { Cgroups } from "./cgroups.ts";

export interface CgroupsUnderTest {
  readonly cgroups: Cgroups;
  /** The limits that a group has, read from its files; absent means unlimited. */
  limits(path: string): Promise<Omit<Resources, "cpuShares" | "cpuPeriod">>;
  /** The share of the CPU that a group has, in units of its own, which grow with `cpuShares`. */
  share(path: string): Promise<number>;
  /** Leaves nothing on the machine. */
  dispose(): Promise<void>;
}

/** Tests the behaviour that both versions share. Without a `kernel`, plain directories replace the cgroups. */
export function cgroupsSuite(
  name: string,
  { kernel }: { readonly kernel: boolean },
  open: () => Promise<CgroupsUnderTest>,
): void {
  describe(`${name} as cgroups`, () => {
    let under: CgroupsUnderTest;
    let cgroups: Cgroups;
    const started: ChildProcess[] = [];
    beforeEach(async () => {
      under = await open();
      cgroups = under.cgroups;
    });
    afterEach(async () => {
      for (const process of started.splice(0)) process.kill("SIGKILL");
      await under.dispose();
    });

    const resources = { cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitBytes: 64 << 20, pidsLimit: 20 };
    const limits = { cpuQuota: 50_000, memoryLimitBytes: 64 << 20, pidsLimit: 20 };

    /** A process of a group that has a child of its own. Resolves once both are in the group. */
    async function run(path: string): Promise<{ readonly pid: number; readonly ended: Promise<unknown> }> {
      const joins = cgroups.joinFiles(path).map((file) => `echo 0 > '${file}'`);
      const script = [...joins, "sleep 1000000 & echo up", "wait"].join("; ");
      const process = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
      started.push(process);
      const ended = once(process, "exit");
      const [line] = await once(createInterface(process.stdout), "line");
      expect(line).toBe("up");
      return { pid: process.pid ?? 0, ended };
    }

    const processes = async (path: string) => {
      const [file = ""] = cgroups.joinFiles(path);
      return (await readFile(file, "utf8")).split("\n").filter((pid) => pid !== "");
    };
    const exists = (file: string) =>
      access(file).then(
        () => true,
        () => false,
      );

    test("groups are named by path, and listed by their parent", async () => {
      expect(await cgroups.children("")).toEqual([]);
      await cgroups.create("pod", {}, false);
      await cgroups.create("pod/one", {}, true);
      await cgroups.create("pod/two", {}, false);
      await cgroups.create("other", {}, false);
      expect([...(await cgroups.children(""))].sort()).toEqual(["other", "pod"]);
      expect([...(await cgroups.children("pod"))].sort()).toEqual(["one", "two"]);
      expect(await cgroups.children("other")).toEqual([]);
      expect(await cgroups.children("absent")).toEqual([]);
    });

    test("a group has the limits that it was made with, and no others", async () => {
      await cgroups.create("pod", {}, false);
      await cgroups.create("pod/limited", resources, false);
      await cgroups.create("pod/free", {}, false);
      expect(await under.limits("pod/limited")).toEqual(limits);
      expect(await under.limits("pod/free")).toEqual({});
      expect(await under.limits("pod")).toEqual({});
    });

    test("an update changes the limits that it names, and takes one away by a negative number", async () => {
      await cgroups.create("pod", resources, false);
      await cgroups.update("pod", { memoryLimitBytes: 128 << 20 });
      expect(await under.limits("pod")).toEqual({ ...limits, memoryLimitBytes: 128 << 20 });
      await cgroups.update("pod", { cpuQuota: -1 });
      expect(await under.limits("pod")).toEqual({ memoryLimitBytes: 128 << 20, pidsLimit: 20 });
      await cgroups.update("pod", {});
      expect(await under.limits("pod")).toEqual({ memoryLimitBytes: 128 << 20, pidsLimit: 20 });
      await cgroups.update("pod", { memoryLimitBytes: -1, pidsLimit: -1 });
      expect(await under.limits("pod")).toEqual({});
    });

    test("more shares are a larger share, from the fewest to the most that there are", async () => {
      await cgroups.create("pod", {}, false);
      const shares: number[] = [];
      for (const cpuShares of [2, 102, 1024, 4096, 262_144]) {
        await cgroups.update("pod", { cpuShares });
        shares.push(await under.share("pod"));
      }
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(new Set(shares).size).toBe(5);
      await cgroups.update("pod", { cpuShares: 1 });
      expect(await under.share("pod")).toBe(shares[0]);
    });

    test("a group that is there already is taken over with its new limits", async () => {
      await cgroups.create("pod", {}, false);
      await cgroups.create("pod", resources, false);
      expect(await under.limits("pod")).toEqual(limits);
    });

    test("a limit of no group is refused with its file and value", async () => {
      await expect(cgroups.update("absent", { pidsLimit: 7 })).rejects.toThrow(
        /^Cannot set .*absent\/pids\.max to 7$/,
      );
    });

    test("a group that is gone has no usage", async () => {
      expect(await cgroups.usage("absent")).toBeUndefined();
    });

    describe.skipIf(!kernel)("over the kernel", () => {
      test("a process joins by its files, with all that it starts", async () => {
        await cgroups.create("pod", {}, false);
        await cgroups.create("pod/main", resources, true);
        const { pid } = await run("pod/main");
        const inside = await processes("pod/main");
        expect(inside).toContain(String(pid));
        expect(inside).toHaveLength(2);
        for (const file of cgroups.joinFiles("pod/main"))
          expect((await readFile(file, "utf8")).split("\n")).toContain(String(pid));
      });

      test("the usage of a group is that of its processes", async () => {
        await cgroups.create("pod", {}, false);
        await cgroups.create("pod/main", {}, true);
        await run("pod/main");
        const usage = await cgroups.usage("pod/main");
        expect(usage?.cpuNanos).toBeGreaterThan(0);
        expect(usage?.memoryBytes).toBeGreaterThan(0);
        expect(usage?.memoryBytes).toBeLessThan(1 << 30);
      });

      test("kill ends all processes in a group and below, and no others", async () => {
        await cgroups.create("pod", {}, false);
        for (const path of ["pod/one", "pod/two"]) await cgroups.create(path, {}, false);
        await cgroups.create("other", {}, false);
        await cgroups.create("other/main", {}, false);
        const [one, two] = [await run("pod/one"), await run("pod/two")];
        await run("other/main");
        await cgroups.kill("pod");
        expect(await Promise.all([one.ended, two.ended])).toEqual([
          [null, "SIGKILL"],
          [null, "SIGKILL"],
        ]);
        expect(await processes("other/main")).toHaveLength(2);
        await cgroups.kill("other");
      });

      test("a group is removed with all below, also while its killed processes still end", async () => {
        await cgroups.create("pod", {}, false);
        await cgroups.create("pod/main", {}, true);
        const { ended } = await run("pod/main");
        const files = cgroups.joinFiles("pod/main");
        await Promise.all([cgroups.kill("pod"), cgroups.remove("pod")]);
        await ended;
        expect(await cgroups.children("")).toEqual([]);
        for (const file of files) expect(await exists(file)).toBe(false);
      });

      test("what is gone is killed and removed without an error", async () => {
        await cgroups.kill("absent");
        await cgroups.remove("absent");
        await cgroups.create("pod", {}, false);
        await cgroups.remove("pod");
        await cgroups.remove("pod");
      });

      test("a group counts the processes that it lost for want of memory", async () => {
        await cgroups.create("pod", {}, false);
        await cgroups.create("pod/main", {}, false);
        expect(await readFile(cgroups.oomFile("pod/main"), "utf8")).toMatch(/^oom_kill 0$/m);
      });

      test("what a container is shown of its groups is there", async () => {
        await cgroups.create("pod", {}, false);
        await cgroups.create("pod/main", {}, false);
        for (const mount of cgroups.mounts("pod/main")) {
          if ("source" in mount) expect(await exists(mount.source)).toBe(true);
        }
      });
    });
  });
}
