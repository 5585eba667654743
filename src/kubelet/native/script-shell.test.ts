import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ScriptShell } from "./script-shell.ts";

describe.skipIf(process.platform === "win32")("the shell for scripts", () => {
  let directory: string;
  let shell: ScriptShell;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-shell-"));
    shell = new ScriptShell();
  });
  afterEach(async () => {
    await shell.close();
    rmSync(directory, { recursive: true });
  });

  test("runs scripts concurrently, each to its own end", async () => {
    const fifo = join(directory, "fifo");
    await shell.run("make a FIFO", `mkfifo ${fifo}`);
    const reads = shell.run("read", `read -r word < ${fifo}; echo "$word" > ${fifo}.read`);
    await shell.run("write", `echo word > ${fifo}`);
    await reads;
    expect(readFileSync(`${fifo}.read`, "utf8")).toBe("word\n");
  });

  test("runs a script unchanged", async () => {
    const file = join(directory, "file");
    await shell.run("write", `cat > ${file} <<'EOF'\n  two  words \\n "$HOME"\n\tand 'more'\nEOF`);
    expect(readFileSync(file, "utf8")).toBe(`  two  words \\n "$HOME"\n\tand 'more'\n`);
  });

  test("ends a script at its first failure, and reports its output", async () => {
    const failing = `echo one; echo two >&2; false; : > ${directory}/after`;
    await expect(shell.run("do it", failing)).rejects.toThrow("Cannot do it: one two");
    await expect(shell.run("do it", "exit 7")).rejects.toThrow("Cannot do it: sh ended with 7");
    await expect(shell.run("do it", 'echo "$unset"')).rejects.toThrow("Cannot do it: sh: ");
    expect(existsSync(`${directory}/after`)).toBe(false);
  });

  test("restarts after it has ended", async () => {
    // `$$` is the PID of the shell itself, in every script that it runs.
    const waits = shell.run("wait", "kill -KILL $$; exit 1");
    await expect(waits).rejects.toThrow(/Cannot wait: /);
    await vi.waitFor(() => shell.run("go on", `: > ${directory}/later`)); // Until its end is seen.
    expect(existsSync(`${directory}/later`)).toBe(true);
  });
});
