import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** `knarr up` as a process of its own; stopping it removes everything that it made. */
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
