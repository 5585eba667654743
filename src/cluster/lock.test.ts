import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "./lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knarr-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Locks the directory in a separate process. Returns its output. */
function elsewhere(then: string): string {
  const file = JSON.stringify(join(import.meta.dirname, "lock.ts"));
  const program = `import { lockDirectory } from ${file};
    process.stdout.write(lockDirectory(${JSON.stringify(directory)}) === undefined ? "held" : "locked");
    ${then}`;
  return spawnSync(process.execPath, ["--input-type=module-typescript", "-e", program], { encoding: "utf8" })
    .stdout;
}

test("one process at a time holds a directory, until it unlocks it", () => {
  const unlock = lockDirectory(directory);
  expect([lockDirectory(directory), elsewhere("")]).toEqual([undefined, "held"]);
  unlock?.();
  expect(elsewhere("")).toBe("locked");
});

test("a killed process holds no lock, even when another process has its PID", () => {
  writeFileSync(join(directory, "pid"), String(process.ppid));
  expect(elsewhere("process.kill(process.pid, 'SIGKILL')")).toBe("locked");
  lockDirectory(directory)?.();
  expect(elsewhere("")).toBe("locked");
});
