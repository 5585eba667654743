import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initProgram } from "./init-program.ts";

const isRoot = process.getuid?.() === 0;

/** The ID of an ordinary user, who needs no account: a number that nobody uses, where the tests run as root. */
export const ordinaryUser = isRoot ? 61_000 + (process.pid % 1000) : (process.getuid?.() ?? 0);

/** The beginning of a command line that an ordinary user runs. */
export const asOrdinaryUser: readonly string[] = isRoot
  ? ["setpriv", `--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"]
  : [];

/** Makes a temporary directory of the ordinary user. */
export function ordinaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  chownSync(directory, ordinaryUser, ordinaryUser);
  return directory;
}

/** Returns why an ordinary user's containers cannot be tested here; undefined when they can. */
export function rootlessTestObstacle(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  const directory = ordinaryDirectory("knarr-probe-");
  try {
    const [command, ...args] = [...asOrdinaryUser, initProgram, "rootless-probe", directory, "", ""];
    const probe = spawnSync(command, args, { encoding: "utf8" });
    if (probe.status !== 0) return probe.stderr?.trim() || String(probe.error);
    // A checkout in a private folder is out of reach.
    const read = [...asOrdinaryUser, process.execPath, "--check", import.meta.filename];
    return spawnSync(read[0] ?? "", read.slice(1)).status === 0 ? undefined : "the checkout is private";
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
