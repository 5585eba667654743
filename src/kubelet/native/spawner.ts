import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { readLines } from "./read-lines.ts";
import { initProgram } from "./init-program.ts";
import { pipeSocket } from "./pipe-socket.ts";
import { toolEnvironment } from "./shell.ts";

export interface SpawnerOptions {
  /** The file for errors that no job can report. */
  readonly errorLog: string;
  /** Called with a new spawner's PID, before it gets a job: jobs are in the spawner's cgroups. */
  readonly started: (pid: number) => Promise<void>;
}

/** The init program's exit code when a command cannot be started, as containerd reports it. */
export const startErrorCode = 128;

/** The init program's limit. The kernel takes less for a command and its environment. */
const maxPlanBytes = 16 << 20;

/** The end of a job, or the start of its command: whatever comes first. */
export type Outcome =
  | { readonly what: "started" }
  | { readonly what: "failed"; readonly why: string }
  | { readonly what: "ended"; readonly code: number };

/**
 * The init program (`native/init/`) as a small process beside Knarr, which makes processes by plans. Node.js copies its own
 * page tables to start a process, which blocks it for 5 to 8 ms; the spawner forks in a fraction of a millisecond. Jobs
 * outlive it.
 */
export class Spawner {
  readonly #options: SpawnerOptions;
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  #process: Promise<ChildProcess> | undefined;
  #jobs = 0;

  constructor(options: SpawnerOptions) {
    this.#options = options;
  }

  /** Starts the program, so that the first container does not wait for it. */
  async connect(): Promise<void> {
    await this.#running();
  }

  /** Carries out a plan (`encodeOperations`) in a new process. Resolves to what the process reports first. */
  async run(plan: Buffer): Promise<Outcome> {
    if (plan.length > maxPlanBytes - 32) return { what: "failed", why: "argument list too long" };
    const child = await this.#running();
    const job = String(this.#jobs++);
    const name = Buffer.from(`${job}\0`);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(name.length + plan.length);
    const outcome = new Promise<Outcome>((resolve) => this.#waiting.set(job, resolve));
    // The spawner keeps this process alive only while a caller waits.
    pipeSocket(child.stdout).ref();
    child.stdin?.write(Buffer.concat([size, name, plan]));
    return outcome;
  }

  /** Ends the program after the jobs that have begun. A later `run` starts a new one. */
  async close(): Promise<void> {
    const child = await this.#process?.catch(() => undefined);
    if (child === undefined) return;
    child.ref();
    child.stdin?.end();
    await once(child, "close");
  }

  /** A failed start is not kept, so that the next call retries. */
  #running(): Promise<ChildProcess> {
    const process = (this.#process ??= this.#start());
    process.catch(() => {
      if (this.#process === process) this.#process = undefined;
    });
    return process;
  }

  async #start(): Promise<ChildProcess> {
    const log = openSync(this.#options.errorLog, "a", 0o600);
    // A session of its own: Ctrl-C on Knarr's terminal must not end what Knarr needs for its cleanup.
    const child = spawn(initProgram, [], {
      argv0: "knarr-init", // Containers that share processes see it.
      detached: true,
      cwd: "/",
      stdio: ["pipe", "pipe", log],
      env: toolEnvironment,
    });
    closeSync(log);
    child.stdin?.on("error", () => {}); // `close` reports its end.
    child.once("close", () => this.#lost());
    await once(child, "spawn");
    child.unref();
    pipeSocket(child.stdin).unref();
    pipeSocket(child.stdout).unref();
    readLines(pipeSocket(child.stdout), (line) => {
      this.#report(child, line);
      return false;
    });
    await this.#options.started(child.pid ?? 0);
    return child;
  }

  #report(child: ChildProcess, line: string): void {
    const [, job = "", what, text = ""] = /^(\d+) (\w+) ?(.*)$/.exec(line) ?? [];
    const settle = this.#waiting.get(job);
    this.#waiting.delete(job);
    if (this.#waiting.size === 0) pipeSocket(child.stdout).unref();
    if (what === "failed") settle?.({ what, why: text });
    else if (what === "ended") settle?.({ what, code: Number(text) });
    else settle?.({ what: "started" });
  }

  #lost(): void {
    this.#process = undefined;
    for (const settle of this.#waiting.values())
      settle({ what: "failed", why: "the init program has ended" });
    this.#waiting.clear();
  }
}
