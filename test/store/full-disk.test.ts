import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { systemClock } from "../../src/util/clock.ts";

const writerFile = join(import.meta.dirname, "full-disk-writer.ts");
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-full-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the writer under a command that limits its disk, and calls `makeRoom` once the writer reports a full disk. */
async function fillAndResume(command: string[], makeRoom: (pid: number) => void): Promise<string[]> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    if (!line.startsWith("full")) continue;
    makeRoom(child.pid ?? 0);
    child.stdin.write("go on\n");
  }
  await closed;
  return said;
}

function expectResumed([full = "", resumed = ""]: string[], message: RegExp): void {
  expect(full).toMatch(message);
  const [, revision] = full.split(" ").map(Number);
  const [, after, keys] = resumed.split(" ").map(Number);
  expect(after).toBeGreaterThan(revision ?? Infinity);
  expect(keys).toBe((revision ?? 0) * 2 + 1);
}

describe("a disk that refuses writes", () => {
  test("because of a file size limit fails commits completely, and the store resumes when the limit is raised", async () => {
    const file = join(folder, "limited.db");
    const limited = ["prlimit", "--fsize=3000000:", process.execPath, writerFile, file];
    const said = await fillAndResume(limited, (pid) => {
      spawnSync("prlimit", ["--pid", `${pid}`, "--fsize=unlimited"]);
    });
    expectResumed(said, /^full \d+ Cannot write: disk I\/O error/);

    const store = await SqliteStore.open(file, { clock: systemClock });
    const keys = store.list("").entries.map(({ key }) => key);
    expect(keys.filter((key) => key.startsWith("a/")).length).toBe(
      keys.filter((key) => key.startsWith("b/")).length,
    );
    expect(keys).toContain("resumed");
    expect(keys).not.toContain("still");
    await store.close();
  });

  test.skipIf(!mayMount)(
    "because it is full fails commits completely, and the store resumes when there is space",
    async () => {
      // The mount is in a namespace of its own, and ends with the process.
      const script = `mount -t tmpfs -o size=4m tmpfs "$1" && head -c 1500000 /dev/zero >"$1/ballast" && exec "$2" "$3" "$1/store.db"`;
      const limited = ["unshare", "--mount", "sh", "-c", script, "sh", folder, process.execPath, writerFile];
      const said = await fillAndResume(limited, (pid) => {
        spawnSync("nsenter", ["--target", `${pid}`, "--mount", "rm", join(folder, "ballast")]);
      });
      expectResumed(said, /^full \d+ Cannot write: database or disk is full/);
    },
  );
});
