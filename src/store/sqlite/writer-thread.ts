import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { CallName, Calls, Reply, Request } from "./calls.ts";

/**
 * The worker runs from source in development, and compiled in the package; its file is always beside this
 * one.
 */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** Rows live for one call: a larger young generation would fill with garbage, and stay resident when idle. */
const maxYoungGenerationSizeMb = 4;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * The thread that owns the file. Calls are carried out in order. When the thread dies, all waiting calls are
 * rejected.
 */
export class WriterThread {
  readonly #worker = new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb } });
  readonly #waiting: Waiting[] = [];
  /** Resolves when the thread has ended, for any reason. */
  readonly ended: Promise<void>;
  #death: Error | undefined;

  constructor() {
    this.#worker.on("message", (reply: Reply) => {
      const waiting = this.#waiting.shift();
      if ("error" in reply) waiting?.reject(reply.error);
      // Safe: replies come in the order of the calls.
      else waiting?.resolve(reply.result as never);
    });
    this.#worker.on("error", (error) => {
      this.#death = new Error("the writer thread failed", { cause: error });
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#death ??= new Error("the writer thread has ended");
        for (const { reject } of this.#waiting.splice(0)) reject(this.#death);
        resolve();
      });
    });
  }

  /** Buffers in `transfer` are moved, and are empty here afterwards. */
  call<Name extends CallName>(
    name: Name,
    argument: Calls[Name]["argument"],
    transfer: ArrayBuffer[] = [],
  ): Promise<Calls[Name]["result"]> {
    if (this.#death !== undefined) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // Safe: the argument is that of the call.
      const request = { name, argument } as Request;
      this.#worker.postMessage(request, transfer);
    });
  }

  /** Kills the thread at once. Everything that it has not synced is lost. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
