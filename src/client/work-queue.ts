import type { Clock, Timer } from "../util/clock.ts";

/** client-go's back-off for one key: 5 ms, doubled with each failure up to 1000 s. */
const firstDelayMs = 5;
const maxDelayMs = 1_000_000;

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** How many distinct keys may be known at once; more are dropped and counted. Default one million. */
  readonly maxKeys?: number;
}

/**
 * Hands keys to workers (client-go `util/workqueue`).
 *
 * 1. A key is with at most one worker; added meanwhile, it is handed out again once that worker is done.
 * 2. A key that waits is there once, however often it was added.
 * 3. A delayed key becomes due at the earliest time that it was asked for.
 *
 * Overflow: beyond `maxKeys` distinct keys, new ones are dropped and counted in `dropped`; reconcilers look at
 * levels, so the next resync makes up for it.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #maxKeys: number;
  /** Keys to be handed out, in order. */
  readonly #waiting = new Set<string>();
  /** Keys that a worker holds; true when added again meanwhile. */
  readonly #working = new Map<string, boolean>();
  readonly #delayed = new Map<string, { readonly at: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  /** Wakes workers that wait for a key. */
  readonly #idle: (() => void)[] = [];
  #dropped = 0;
  #shutDown = false;

  constructor({ clock, maxKeys = 1_000_000 }: WorkQueueOptions) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
  }

  /** How many keys wait for a worker. */
  get length(): number {
    return this.#waiting.size;
  }

  /** How many keys workers hold. */
  get working(): number {
    return this.#working.size;
  }

  /** How many keys were turned away for want of room. */
  get dropped(): number {
    return this.#dropped;
  }

  add(key: string): void {
    if (this.#shutDown || this.#waiting.has(key)) return;
    this.#cancelDelay(key);
    if (this.#working.has(key)) this.#working.set(key, true);
    else if (this.#hasRoom(key)) this.#enqueue(key);
  }

  /** Adds the key in `ms`; at once when that is not positive. */
  addAfter(key: string, ms: number): void {
    if (this.#shutDown) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.monotonic() + ms;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.at <= at) return;
    if (earlier === undefined && !this.#hasRoom(key)) return;
    this.#cancelDelay(key);
    const timer = this.#clock.after(ms, () => {
      // Also where the key waits already: a delay that is over must not stand in the way of the next one.
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, timer });
  }

  /** Adds the key after a delay that doubles with each call, until `forget`. Answers with the delay in ms. */
  addRateLimited(key: string, atLeastMs = 0): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delay = Math.max(atLeastMs, Math.min(maxDelayMs, firstDelayMs * 2 ** failures));
    this.addAfter(key, delay);
    return delay;
  }

  /** How often the key was rate-limited since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Starts the key's back-off anew. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, which is the caller's until `done`; undefined once the queue has shut down. */
  async next(): Promise<string | undefined> {
    while (!this.#shutDown) {
      for (const key of this.#waiting) {
        this.#waiting.delete(key);
        this.#working.set(key, false);
        return key;
      }
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    return undefined;
  }

  /** The worker has finished with the key. */
  done(key: string): void {
    const again = this.#working.get(key) ?? false;
    this.#working.delete(key);
    if (again && !this.#shutDown) this.#enqueue(key);
  }

  /** Forgets everything that waits and lets the workers go. */
  shutDown(): void {
    this.#shutDown = true;
    for (const key of this.#delayed.keys()) this.#cancelDelay(key);
    this.#waiting.clear();
    this.#failures.clear();
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** The worker that is woken takes the key a moment later: what is added in the same turn falls together. */
  #enqueue(key: string): void {
    this.#waiting.add(key);
    this.#idle.shift()?.();
  }

  #hasRoom(key: string): boolean {
    const known = this.#waiting.size + this.#working.size + this.#delayed.size;
    if (known < this.#maxKeys || this.#working.has(key) || this.#delayed.has(key)) return true;
    this.#dropped += 1;
    return false;
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.timer.cancel();
    this.#delayed.delete(key);
  }
}
