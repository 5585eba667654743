import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** A program beside the test, whose output is kept in a file. */
export class Program {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor(name: string, [command = "", ...words]: readonly string[], log: string) {
    this.#name = name;
    this.#log = log;
    const output = openSync(log, "w");
    this.#child = spawn(command, words, { stdio: ["ignore", output, output] });
  }

  /** Waits until the condition holds. @throws Error with the program's last lines when it does not in time */
  async until(holds: () => boolean, seconds = 60): Promise<void> {
    for (let i = 0; i < seconds * 4; i++) {
      if (holds()) return;
      if (this.#child.exitCode !== null) break;
      await setTimeout(250);
    }
    const last = readFileSync(this.#log, "utf8").split("\n").slice(-15).join("\n");
    throw new Error(`Cannot use ${this.#name}: its last lines are\n${last}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await Promise.race([ended, setTimeout(10_000, undefined, { ref: false })]);
    this.#child.kill("SIGKILL");
  }
}
