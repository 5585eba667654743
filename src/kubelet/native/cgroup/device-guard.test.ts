import { mkdtempSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeOperations, type Operation } from "../init-plan.ts";
import { Spawner } from "../spawner.ts";
import { deviceGuard } from "./device-guard.ts";

test("jumps lead to the next rule, and what no rule allows is forbidden", () => {
  const guard = Buffer.from(deviceGuard([[1, 3]]), "hex");
  const words = Array.from({ length: guard.length / 8 }, (_, i) => [
    guard.readUInt8(8 * i),
    guard.readUInt8(8 * i + 1),
    guard.readInt16LE(8 * i + 2),
    guard.readInt32LE(8 * i + 4),
  ]);
  expect(words.slice(6)).toEqual([
    [0x55, 3, 2, 1], // The access is more than mknod: on to the kinds.
    [0xb7, 0, 0, 1],
    [0x95, 0, 0, 0],
    [0x55, 2, 4, 2], // Not a character device: behind the rules.
    [0x55, 4, 3, 1],
    [0x55, 5, 2, 3],
    [0xb7, 0, 0, 1],
    [0x95, 0, 0, 0],
    [0xb7, 0, 0, 0],
    [0x95, 0, 0, 0],
  ]);
});

const unified = /^cgroup2 (\S+) cgroup2 /m.exec(readMounts())?.[1];
const cannot =
  process.getuid?.() !== 0 ? "it needs root" : unified === undefined ? "no cgroups v2" : undefined;

describe.skipIf(cannot !== undefined)(
  `the guard in the kernel${cannot === undefined ? "" : `: ${cannot}`}`,
  () => {
    test("a process of the cgroup opens harmless devices alone, and creates any", async () => {
      const group = mkdtempSync(join(unified ?? "", "knarr-test-devices-"));
      const directory = mkdtempSync(join(tmpdir(), "knarr-devices-"));
      const spawner = new Spawner({ errorLog: join(directory, "log"), started: async () => {} });
      const opens = (path: string, guard: readonly Operation[]) => {
        const script = `mknod ${directory}/$$ b 7 200 && rm ${directory}/$$ && : < ${path}`;
        const words = ["sh", "-c", script].map((word) => ["arg", word] as const);
        const enter: Operation = ["join", join(group, "cgroup.procs")];
        const plan = [...guard, enter, ["env", "PATH=/usr/bin:/bin"] as const, ...words, ["exec"] as const];
        return spawner.run(encodeOperations(plan));
      };
      try {
        expect(await opens("/dev/kmsg", [])).toEqual({ what: "ended", code: 0 });
        expect(await opens("/dev/null", [["devices", group, deviceGuard()]])).toEqual({
          what: "ended",
          code: 0,
        });
        expect(await opens("/dev/kmsg", [])).toEqual({ what: "ended", code: 2 });
        expect(await opens("/dev/urandom", [])).toEqual({ what: "ended", code: 0 });
      } finally {
        await spawner.close();
        rmSync(directory, { recursive: true });
        rmdirSync(group);
      }
    });
  },
);

function readMounts(): string {
  return process.platform === "linux" ? readFileSync("/proc/mounts", "utf8") : "";
}
