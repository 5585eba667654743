import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One process at a time for each data directory. Answers with how to give it back. @throws Error that names the holder */
export function lockDataDirectory(directory: string): () => void {
  const path = join(directory, "pid");
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (attempt > 0 || !isPresent(error)) throw error;
    }
    const holder = Number(readFileSync(path, "utf8"));
    if (isRunning(holder)) {
      throw new Error(
        `Cannot use ${directory}: a cluster already runs there (pid ${holder}); stop it, or choose another --data-dir`,
      );
    }
    // Its process was killed: what it left is ours to take up.
    rmSync(path, { force: true });
  }
}

function isPresent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

function isRunning(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && existsSync(`/proc/${pid}`) && pid !== process.pid;
}
