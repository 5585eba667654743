import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { toolEnvironment } from "./shell.ts";
import { readLines } from "./read-lines.ts";
import { pipeSocket } from "./pipe-socket.ts";

/** Ends a script in the shell's input; no script contains this line. */
const endOfScript = "# end of script";

/**
 * Reads scripts and runs them concurrently. `jobs` reaps ended ones. A reply is one line with the exit code
 * and the output.
 */
const loop = `while read -r job; do
  script=
  while IFS= read -r line && [ "$line" != '${endOfScript}' ]; do
    script="$script$line
"
  done
  jobs > /dev/null
  {
    output=$(set -eu; eval "$script" 2>&1 < /dev/null)
    code=$?
    if [ $code = 0 ]; then echo "$job"
    else printf '%s %s %s\\n' "$job" $code "$(printf %s "$output" | tr '\\n' ' ' | head -c 2000)"
    fi
  } &
done`;

interface Waiter {
  readonly purpose: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs shell scripts in one long-lived shell. Node.js copies its own page tables to start a process (libuv
 * forks), which blocks it for 5 to 8 ms. A shell of 1 MB forks in a fraction of a millisecond.
 */
export class ScriptShell {
  readonly #waiting = new Map<string, Waiter>();
  #shell: ChildProcess | undefined;
  #jobs = 0;

  /**
   * Runs a script with `sh -eu`. The script may start nothing that outlives it. @throws Error with the
   * script's output when it fails.
   */
  async run(purpose: string, script: string): Promise<void> {
    const shell = (this.#shell ??= this.#start());
    const job = String(this.#jobs++);
    const ended = new Promise<void>((resolve, reject) =>
      this.#waiting.set(job, { purpose, resolve, reject }),
    );
    // The shell keeps this process alive only while a caller waits.
    pipeSocket(shell.stdout).ref();
    shell.stdin?.write(`${job}\n${script}\n${endOfScript}\n`);
    return ended;
  }

  /** Ends the shell after the running scripts. A later `run` starts a new one. */
  async close(): Promise<void> {
    const shell = this.#shell;
    if (shell === undefined) return;
    shell.ref();
    shell.stdin?.end();
    await once(shell, "close");
  }

  #start(): ChildProcess {
    // A session of its own: Ctrl-C on Knarr's terminal must not end the shell that Knarr needs for its
    // cleanup.
    const shell = spawn("sh", ["-c", loop], {
      detached: true,
      cwd: "/",
      stdio: ["pipe", "pipe", "ignore"],
      env: toolEnvironment,
    });
    shell.unref();
    pipeSocket(shell.stdin).unref();
    shell.stdin.on("error", () => {}); // `close` reports its end.
    readLines(pipeSocket(shell.stdout), (line) => {
      this.#ended(shell, line);
      return false;
    });
    shell.once("error", () => this.#lost(shell));
    shell.once("close", () => this.#lost(shell));
    return shell;
  }

  #ended(shell: ChildProcess, line: string): void {
    const [, job = "", code, output = ""] = /^(\d+)(?: (\d+) (.*))?$/.exec(line) ?? [];
    const waiter = this.#waiting.get(job);
    this.#waiting.delete(job);
    if (this.#waiting.size === 0) pipeSocket(shell.stdout).unref();
    if (waiter === undefined) return;
    if (code === undefined) waiter.resolve();
    else waiter.reject(new Error(`Cannot ${waiter.purpose}: ${output.trim() || `sh ended with ${code}`}`));
  }

  #lost(shell: ChildProcess): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    for (const { purpose, reject } of this.#waiting.values())
      reject(new Error(`Cannot ${purpose}: the shell has ended`));
    this.#waiting.clear();
  }
}
