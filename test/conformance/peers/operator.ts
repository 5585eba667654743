import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs kubectl with the kubeconfig of the environment. Returns what it prints. @throws Error when it fails */
export function kubectl(...words: readonly string[]): string {
  return execFileSync("kubectl", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Waits until a command of kubectl prints the text, for a minute at most. */
export async function untilPrinted(wanted: string, ...words: readonly string[]): Promise<void> {
  let printed = "";
  for (let attempt = 0; attempt < 60; attempt++) {
    printed = kubectl(...words).trim();
    if (printed === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`kubectl ${words.join(" ")} prints ${printed} instead of ${wanted}`);
}

/** Runs the work beside an operator. The operator's log is printed when the work fails. */
export async function beside(out: string, line: readonly string[], work: () => Promise<void>): Promise<void> {
  const [command = "", ...words] = line;
  const file = join(out, "operator.log");
  const log = openSync(file, "w");
  const child = spawn(command, words, { stdio: ["ignore", log, log] });
  const ended = once(child, "exit");
  try {
    await work();
  } catch (error) {
    process.stderr.write(readFileSync(file, "utf8").slice(-10_000));
    throw error;
  } finally {
    child.kill("SIGKILL");
    await ended;
    closeSync(log);
  }
}
