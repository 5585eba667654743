import type { Client } from "../client/client.ts";
import { retryAfterMs } from "../client/errors.ts";
import type { EventSink } from "../client/event-recorder.ts";
import { splitKey } from "../client/indexer.ts";
import type { Delta } from "../client/informer.ts";
import { WorkQueue } from "../client/work-queue.ts";
import type { Kind, KubeObject } from "../meta/kind.ts";
import { hasReason } from "../meta/status.ts";
import type { Env } from "../util/env.ts";
import { yieldToSockets } from "../util/yield.ts";
import { type Cache, cacheFor, type SharedInformers } from "./cache.ts";
import type { Controller, Reconcile, ReconcileResult, Watch } from "./controller.ts";
import { TerminalError } from "./errors.ts";

export interface RunnerOptions {
  readonly controller: Controller;
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly events: EventSink;
  readonly env: Env;
}

/** Runs one controller: feeds its queue from the informers, and reconciles the queued keys. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #env: Env;
  readonly #queue: WorkQueue;
  readonly #cache: Cache;

  constructor(options: RunnerOptions) {
    const { controller, env, informers } = options;
    this.#options = options;
    this.#env = { ...env, log: env.log.with({ controller: controller.name }) };
    this.#queue = new WorkQueue({ clock: env.clock, name: controller.name, metrics: env.metrics });
    this.#cache = cacheFor(controller, informers);
  }

  /** Waits for the caches, then reconciles until the signal fires. No error of a controller ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const { controller, informers } = this.#options;
    const { reads, sources, workers = 1 } = controller;
    const needed = [...sources, ...reads.map((kind) => ({ kind }))];
    const synced = needed.map((source) => informers.start(source, signal).whenSynced());
    const leave = sources.map((source) => this.#subscribe(source, signal));
    const stopped = Promise.withResolvers<void>();
    const stop = () => {
      this.#queue.shutDown();
      stopped.resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    await Promise.race([Promise.all(synced), stopped.promise]);
    if (!signal.aborted) {
      this.#env.log.debug("Controller starts");
      const loops = Array.from({ length: workers }, () => this.#work(signal));
      await Promise.all([this.#runBeside(signal), ...loops]);
    }
    for (const off of leave) off();
  }

  #subscribe(source: Watch<Kind>, signal: AbortSignal): () => void {
    return this.#options.informers.start(source, signal).addHandler((delta: Delta<KubeObject>) => {
      source.observe?.(delta);
      if (source.filter?.(delta, this.#cache) === false) return;
      const states = delta.type === "updated" ? new Set([delta.old, delta.object]) : [delta.object];
      for (const state of states) for (const key of source.map(state, this.#cache)) this.#queue.add(key);
    });
  }

  async #runBeside(signal: AbortSignal): Promise<void> {
    const { controller, client, events } = this.#options;
    try {
      await controller.run?.({
        client,
        cache: this.#cache,
        events,
        env: this.#env,
        signal,
        queue: this.#queue,
      });
    } catch (error) {
      if (!signal.aborted) this.#env.log.error("The loop beside the workers failed", { error });
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.next(); key !== undefined; key = await this.#queue.next()) {
      await this.#reconcile(key, signal);
      this.#queue.done(key);
      // A queue that is never empty would starve sockets, and the changes of one turn are one reconciliation.
      await yieldToSockets();
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { controller, client, events } = this.#options;
    const env = { ...this.#env, log: this.#env.log.with({ key }) };
    const request: Reconcile = { key, ...splitKey(key), client, cache: this.#cache, events, env, signal };
    try {
      this.#succeeded(key, await controller.reconcile(request));
    } catch (error) {
      this.#failed(key, error, env, signal);
    }
  }

  #succeeded(key: string, result: ReconcileResult | void): void {
    this.#queue.forget(key);
    if (result?.requeueAfterMs !== undefined) this.#queue.addAfter(key, result.requeueAfterMs);
  }

  #failed(key: string, error: unknown, { log }: Env, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      log.error("Cannot reconcile: will not try again until the object changes", { error });
      return;
    }
    const delayMs = this.#queue.addRateLimited(key, retryAfterMs(error));
    // Another client wrote first: the cache will show that write, and the next try starts from it.
    const level = hasReason(error, "Conflict") ? "debug" : "warn";
    log[level]("Cannot reconcile: will try again", { error, delayMs });
  }
}
