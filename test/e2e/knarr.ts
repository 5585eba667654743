import { spawn } from "node:child_process";
import { join } from "node:path";

const program = join(import.meta.dirname, "../../bin/knarr.js");

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command line that runs the command, such as sudo. */
  readonly under?: readonly string[];
  /** Called with a function that signals the process. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called with the complete output so far, whenever there is more. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs a command of Knarr to its end, with only the PATH of this process's environment. */
export function knarr(
  line: readonly string[],
  { cwd, env, under = [], onStart, onOutput }: RunOptions,
): Promise<Outcome> {
  const [command = "", ...args] = [...under, process.execPath, program, ...line];
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onStart?.((signal) => child.kill(signal));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    onOutput?.(stdout, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}
