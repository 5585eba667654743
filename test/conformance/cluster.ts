import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/knarr");

/** A program of ordinary Go modules: built once, which takes some minutes, and kept. */
export function goProgram(name: string, line: (file: string) => readonly string[]): string {
  const file = join(cache, name);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  process.stderr.write(`Building ${name}, which takes some minutes …\n`);
  const { status, error } = spawnSync("go", line(file), {
    cwd: join(import.meta.dirname, "peers"),
    stdio: "inherit",
    env: { ...process.env, GOBIN: cache },
  });
  if (status !== 0) throw new Error(`Cannot build ${name}: is Go installed?`, { cause: error });
  return file;
}

/** `knarr up` as a process of its own, gone with all that it made once stopped. */
export async function startKnarr(directory: string, flags: readonly string[]) {
  const line = ["up", "--data-dir", directory, "--port", "0", "--output", "json", "--cleanup", ...flags];
  const child = spawn(process.execPath, [join(root, "bin/knarr.js"), ...line, "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return {
    kubeconfig: (JSON.parse(text.toString()) as { kubeconfig: string }).kubeconfig,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
