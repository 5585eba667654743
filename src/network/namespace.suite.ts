import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Orders } from "./namespace-agent.suite.ts";

const agent = fileURLToPath(new URL("./namespace-agent.suite.ts", import.meta.url));

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * A network namespace with a process that carries out orders. The namespace ends with the process, and the
 * process with the test, even when the test crashes. Requires root.
 */
export class Namespace {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #orders = 0;

  constructor() {
    this.#process = spawn("unshare", ["--net", process.execPath, agent], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#process.on("message", ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
    this.#process.once("exit", () => {
      for (const { reject } of this.#waiting.values())
        reject(new Error("Cannot call: the namespace has ended"));
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async call<K extends keyof Orders>(
    order: K,
    ...args: Parameters<Orders[K]>
  ): Promise<Awaited<ReturnType<Orders[K]>>> {
    const id = this.#orders++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#process.send({ id, order, args });
    return (await waiting.promise) as Awaited<ReturnType<Orders[K]>>;
  }

  /** Runs commands of `ip`, one per line. */
  async ip(...commands: readonly string[]): Promise<void> {
    await this.call("run", "ip", ["-batch", "-"], commands.map((command) => `${command}\n`).join(""));
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.disconnect();
    await ended;
  }
}
