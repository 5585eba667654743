import type { Clock, Timer } from "../util/clock.ts";
import type { Metrics } from "../util/metrics/metrics.ts";
import {
  type HeldState,
  type KeyAction,
  type KeyEvent,
  type KeyState,
  stepKey,
} from "./work-queue-machine.ts";
import { WorkQueueMetrics } from "./work-queue-metrics.ts";

/** client-go's back-off for one key: 5 ms, doubled with each failure up to 1000 s. */
const firstDelayMs = 5;
const maxDelayMs = 1_000_000;

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The largest number of keys known at once; further keys are dropped and counted. Default one million. */
  readonly maxKeys?: number;
  /** The name in metrics. A queue without a name is not measured. */
  readonly name?: string;
  readonly metrics?: Metrics | undefined;
}

/**
 * Hands keys to workers (client-go `util/workqueue`), each key to one worker at a time. `work-queue-machine.ts` decides
 * the state of each key; the queue keeps the line, the delays and the back-off.
 *
 * Overflow: beyond `maxKeys` keys, a new key is dropped and counted in `dropped`. Reconcilers look at levels, so the
 * next resync makes up for it.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #maxKeys: number;
  readonly #metrics: WorkQueueMetrics | undefined;
  /** The line: keys in the order in which workers get them. */
  readonly #waiting = new Set<string>();
  /** The front of the line. It is kept because a new iterator visits every hole that taken keys left. */
  #front: Iterator<string, undefined> | undefined;
  readonly #held = new Map<string, HeldState>();
  readonly #delays = new Map<string, { readonly at: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  /** Wakes workers that wait for a key. */
  readonly #idle: (() => void)[] = [];
  #dropped = 0;
  #shutDown = false;

  constructor({ clock, maxKeys = 1_000_000, name, metrics }: WorkQueueOptions) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    if (name !== undefined && metrics !== undefined)
      this.#metrics = new WorkQueueMetrics(metrics, clock, name);
  }

  /** The number of keys that wait for a worker. */
  get length(): number {
    return this.#waiting.size;
  }

  /** The number of keys that workers hold. */
  get working(): number {
    return this.#held.size;
  }

  /** The number of adds that were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  add(key: string): void {
    if (!this.#shutDown) this.#step(key, "add");
  }

  /** Adds the key after `ms`; at once when `ms` is not positive. */
  addAfter(key: string, ms: number): void {
    if (!this.#shutDown) this.#step(key, ms > 0 ? "addAfter" : "add", ms);
  }

  /** Adds the key after a delay that doubles with each call, until `forget`. Returns the delay in ms. */
  addRateLimited(key: string, atLeastMs = 0): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    this.#metrics?.retried();
    const delay = Math.max(atLeastMs, Math.min(maxDelayMs, firstDelayMs * 2 ** failures));
    this.addAfter(key, delay);
    return delay;
  }

  /** The number of rate-limited adds of the key since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resets the key's back-off. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Returns the next key, which belongs to the caller until `done`; undefined once the queue has shut down. */
  async next(): Promise<string | undefined> {
    while (!this.#shutDown) {
      const key = this.#first();
      if (key !== undefined) {
        this.#step(key, "next");
        this.#metrics?.taken(key);
        return key;
      }
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    return undefined;
  }

  /** Returns the key to the queue when the worker has finished with it. */
  done(key: string): void {
    this.#metrics?.done(key);
    this.#step(key, "done");
  }

  /** Drops every key that waits or is delayed, and ends the workers. */
  shutDown(): void {
    this.#shutDown = true;
    for (const keys of [this.#waiting, this.#delays, this.#held])
      for (const key of keys.keys()) this.#step(key, "shutDown");
    this.#failures.clear();
    this.#metrics?.shutDown();
    for (const wake of this.#idle.splice(0)) wake();
  }

  #first(): string | undefined {
    // An iterator at its end does not continue, and an unread iterator keeps the memory of old lines.
    if (this.#waiting.size === 0) this.#front = undefined;
    else this.#front ??= this.#waiting.values();
    return this.#front?.next().value;
  }

  #step(key: string, event: KeyEvent, ms = 0): void {
    const from = this.#stateOf(key);
    const { to, actions } = stepKey(from, event);
    if (from === "idle" && to !== "idle" && !this.#hasRoom()) return;
    if (isHeld(to)) this.#held.set(key, to);
    else if (isHeld(from)) this.#held.delete(key);
    for (const action of actions) this.#perform(action, key, ms);
  }

  /** Derives the state from the collections, because a map of all states beside them would cost memory for each key. */
  #stateOf(key: string): KeyState {
    const held = this.#held.get(key);
    if (held !== undefined) return held;
    const delayed = this.#delays.has(key);
    if (this.#waiting.has(key)) return delayed ? "queuedDelayed" : "queued";
    return delayed ? "delayed" : "idle";
  }

  #perform(action: KeyAction, key: string, ms: number): void {
    switch (action) {
      case "enqueue":
        this.#waiting.add(key);
        this.#metrics?.enqueued(key);
        // The worker takes the key in a later microtask, so several adds in one turn are one.
        this.#idle.shift()?.();
        return;
      case "dequeue":
        this.#waiting.delete(key);
        return;
      case "delay":
        return this.#delay(key, ms);
      case "endDelay":
        this.#delays.get(key)?.timer.cancel();
        this.#delays.delete(key);
    }
  }

  #delay(key: string, ms: number): void {
    const at = this.#clock.monotonic() + ms;
    const known = this.#delays.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.timer.cancel();
    this.#delays.set(key, { at, timer: this.#clock.after(ms, () => this.#step(key, "delayEnds")) });
  }

  #hasRoom(): boolean {
    const known = this.#waiting.size + this.#held.size + this.#delays.size;
    if (known < this.#maxKeys) return true;
    this.#dropped += 1;
    return false;
  }
}

function isHeld(state: KeyState): state is HeldState {
  return state !== "idle" && state !== "queued" && state !== "delayed" && state !== "queuedDelayed";
}
