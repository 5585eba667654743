import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sessionKeyringProgram } from "./session-keyring.ts";

const cannotRun = process.platform !== "linux" || sessionKeyringProgram() === undefined;

describe.skipIf(cannotRun)("the program that runs another with a new session keyring", () => {
  let directory: string;
  let program: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-keyring-"));
    program = join(directory, "session-keyring");
    writeFileSync(program, sessionKeyringProgram() ?? "", { mode: 0o755 });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test("arguments, environment and exit code are the other's", () => {
    const script = 'printf "%s|" "$0" "$@" "$WORD"; exit 7';
    const options = { encoding: "utf8", env: { WORD: "from outside" } } as const;
    let seen: unknown;
    try {
      execFileSync(program, ["/bin/sh", "-c", script, "a b", "", "c"], options);
    } catch (error) {
      seen = error;
    }
    expect(seen).toMatchObject({ status: 7, stdout: "a b||c|from outside|" });
  });

  test("a missing program exits with 127", () => {
    expect(() => execFileSync(program, ["/nonexistent"])).toThrow(expect.objectContaining({ status: 127 }));
  });

  test.skipIf(!hasKeys())("each run has a session keyring of its own", () => {
    const sessions = (...command: readonly string[]) => {
      const keys = execFileSync("env", [...command, "/bin/cat", "/proc/keys"], { encoding: "utf8" });
      return [...keys.matchAll(/^(\w+) .* keyring +_ses: /gm)].map(([, serial]) => serial);
    };
    const seen = new Set(sessions());
    const fresh = [1, 2].map(() => {
      const found = sessions(program).filter((key) => !seen.has(key));
      for (const key of found) seen.add(key); // Those of ended processes stay in view for a moment.
      return found.length;
    });
    expect(fresh).toEqual([1, 1]);
  });
});

test("every supported architecture has a valid ELF program, and others have none", () => {
  for (const [architecture, machine] of [
    ["x64", 62],
    ["arm64", 183],
  ] as const) {
    const file = sessionKeyringProgram(architecture) ?? Buffer.alloc(0);
    expect(file.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
    expect(file.readUInt16LE(18)).toBe(machine);
    expect(file.readBigUInt64LE(64 + 32)).toBe(BigInt(file.length));
  }
  expect(sessionKeyringProgram("constructor")).toBeUndefined();
});

function hasKeys(): boolean {
  try {
    return readFileSync("/proc/keys", "utf8") !== "";
  } catch {
    return false;
  }
}
