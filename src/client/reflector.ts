import type { WatchEvent } from "../meta/exchange.ts";
import type { KubeObject } from "../meta/kind.ts";
import { StatusError } from "../meta/status.ts";
import { backoffMs, type Backoff } from "../util/backoff.ts";
import { sleep } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import type { ListOptions, WatchOptions } from "./options.ts";
import {
  type Failure,
  type ReflectorAction,
  type ReflectorEvent,
  type ReflectorState,
  startReflector,
  stepReflector,
} from "./reflector-machine.ts";
import type { List } from "./resource-client.ts";

/** client-go's delays between failures. */
const backoff: Backoff = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 1 };
/** The shortest lifetime of a watch; it lasts up to twice as long, so that watches do not all end at once. */
const watchSeconds = 300;
/** The time beyond its lifetime after which a watch counts as having lost its peer. */
const graceMs = 30_000;
/** The time before which the end of a watch without an event counts as a failure. */
const fruitlessMs = 1_000;

const initialEvents = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const;

/** The source of a reflector: a `ResourceClient`, or a stand-in. */
export interface ListerWatcher<O> {
  list(options: ListOptions): Promise<List<O>>;
  watch(options: WatchOptions): AsyncIterable<readonly WatchEvent<O>[]>;
}

/** The holder of the copy. After an error it gets the whole state again. */
export interface ReflectorTarget<O> {
  /** The complete state. */
  replace(items: readonly O[], resourceVersion: string): void | Promise<void>;
  /** One change after that state. */
  apply(event: Extract<WatchEvent<O>, { type: "ADDED" | "MODIFIED" | "DELETED" }>): void;
}

export interface ReflectorOptions {
  /** The name in logs. */
  readonly name: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * Keeps a target at the state of a resource until the signal fires. Every failure is logged and retried without end,
 * because a resource that is not served today may be served tomorrow.
 */
export class Reflector<O extends KubeObject> {
  readonly #source: ListerWatcher<O>;
  readonly #target: ReflectorTarget<O>;
  readonly #options: ReflectorOptions;
  readonly #env: Env;
  #state: ReflectorState<O>;
  #queue: ReflectorAction<O>[];
  #applied = "";

  constructor(source: ListerWatcher<O>, target: ReflectorTarget<O>, env: Env, options: ReflectorOptions) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
    this.#env = { ...env, log: env.log.with({ reflector: options.name }) };
    const { state, actions } = startReflector<O>();
    this.#state = state;
    this.#queue = [...actions];
  }

  /** The revision up to which the target has every change; empty before the first state. */
  get lastSyncResourceVersion(): string {
    return this.#applied;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const action = this.#queue.shift();
      if (action === undefined) return;
      try {
        await this.#perform(action, signal);
      } catch (error) {
        // The target may have missed a change, so it gets the whole state again.
        this.#env.log.error("The target failed", { error });
        this.#queue = [];
        this.#feed({ type: "failed", failure: "expired" });
      }
    }
  }

  #feed(event: ReflectorEvent<O>): void {
    const { state, actions } = stepReflector(this.#state, event);
    this.#state = state;
    this.#queue.push(...actions);
  }

  async #perform(action: ReflectorAction<O>, signal: AbortSignal): Promise<void> {
    switch (action.type) {
      case "stream":
        return this.#watch(
          { ...initialEvents, resourceVersion: action.resourceVersion || undefined },
          signal,
        );
      case "watch":
        return this.#watch({ resourceVersion: action.resourceVersion || undefined }, signal);
      case "list":
        return this.#list(action.resourceVersion, signal);
      case "wait":
        await sleep(this.#env.clock, backoffMs(backoff, action.failures, this.#env.random), signal);
        return this.#feed({ type: "resumed" });
      case "replace":
        await this.#target.replace(action.items, action.resourceVersion);
        this.#applied = action.resourceVersion;
        return;
      case "apply":
        return this.#target.apply(action.event);
    }
  }

  async #list(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { labelSelector, fieldSelector } = this.#options;
    try {
      const { items, metadata } = await this.#source.list({
        labelSelector,
        fieldSelector,
        resourceVersion: resourceVersion || undefined,
        signal,
      });
      this.#feed({ type: "listed", items, resourceVersion: metadata.resourceVersion ?? "" });
    } catch (error) {
      this.#failed(error, "list", signal);
    }
  }

  async #watch(options: WatchOptions, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#env;
    const { labelSelector, fieldSelector } = this.#options;
    const timeoutSeconds = Math.round(watchSeconds * (1 + random.next()));
    const lost = new AbortController();
    const watchdog = clock.after(timeoutSeconds * 1000 + graceMs, () => lost.abort());
    const started = clock.monotonic();
    let events = 0;
    try {
      const either = AbortSignal.any([signal, lost.signal]);
      const request = { ...options, labelSelector, fieldSelector, timeoutSeconds, signal: either };
      for await (const batch of this.#source.watch(request)) {
        if (signal.aborted) return;
        events += batch.length;
        for (const event of batch) await this.#event(event, signal);
      }
      this.#feed({ type: "ended", fruitless: events === 0 && clock.monotonic() - started < fruitlessMs });
    } catch (error) {
      if (error instanceof TargetError) throw error;
      if (lost.signal.aborted) this.#feed({ type: "ended", fruitless: false });
      else this.#failed(error, "watch", signal);
    } finally {
      watchdog.cancel();
    }
  }

  /** Performs all actions of an event before the next event, so that targets see events one by one. */
  async #event(event: WatchEvent<O>, signal: AbortSignal): Promise<void> {
    if (event.type === "ERROR") throw new StatusError(event.object);
    this.#feed({ type: "event", event });
    for (let action = this.#queue.shift(); action !== undefined; action = this.#queue.shift()) {
      try {
        // Synchronous targets cost no turn of the microtask queue for each event.
        const pending =
          action.type === "apply" ? this.#target.apply(action.event) : this.#perform(action, signal);
        if (pending !== undefined) await pending;
      } catch (error) {
        throw new TargetError("The target of a reflector failed", { cause: error });
      }
    }
    this.#applied = this.#state.memory.resourceVersion;
  }

  #failed(error: unknown, what: "list" | "watch", signal: AbortSignal): void {
    if (signal.aborted) return;
    const failure = classify(error);
    const facts = { error, failure };
    if (failure === "other") this.#env.log.warn(`Cannot ${what}: will try again`, facts);
    else this.#env.log.debug(`Cannot ${what}: will fetch the state anew`, facts);
    this.#feed({ type: "failed", failure });
  }
}

/** A failure of the target, not of the source. */
class TargetError extends Error {}

function classify(error: unknown): Failure {
  if (!(error instanceof StatusError)) return "other";
  const { code, reason, status } = error;
  // A server that has not yet seen a version of another server names this cause (apimachinery's CauseType).
  const ahead = status.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") ?? false;
  if (code === 410 || reason === "Expired" || ahead) return "expired";
  return code === 400 || code === 422 ? "unsupported" : "other";
}
