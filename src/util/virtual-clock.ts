import type { Clock, Timer } from "./clock.ts";
import { Heap } from "./heap.ts";
import { waitingForTurn } from "./yield.ts";

interface PendingTimer {
  readonly at: number;
  /** Breaks ties: timers for the same instant fire in the order they were set. */
  readonly order: number;
  fire: (() => void) | undefined;
}

/** The number of event-loop turns without a yielding caller after which all work has settled. */
const quietTurns = 3;

/**
 * A clock that stands still until a test advances it. Timers fire in order of time, then of setting. Between
 * two timers, all work that needs no real time (promises, yields) runs to its end.
 */
export class VirtualClock implements Clock {
  readonly #start: number;
  #now: number;
  #order = 0;
  readonly #timers = new Heap<PendingTimer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));

  /** Starts at `start`, in milliseconds since the epoch; by default on 1 January 2026. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#start = start;
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  after(ms: number, fire: () => void): Timer {
    const timer: PendingTimer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire };
    this.#timers.push(timer);
    return {
      cancel() {
        timer.fire = undefined;
      },
    };
  }

  /** Milliseconds until the next timer; undefined when there is none. */
  untilNext(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#now;
  }

  /** Lets `ms` pass. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await this.settle();
    for (let next = this.#next(); next !== undefined && next.at <= target; next = this.#next()) {
      await this.#fire(next);
    }
    this.#now = target;
  }

  /**
   * Lets time pass, timer by timer, until `done` holds.
   * @throws Error when it does not hold within `limitMs` of virtual time.
   */
  async runUntil(done: () => boolean, limitMs = 3_600_000): Promise<void> {
    const limit = this.#now + limitMs;
    await this.settle();
    while (!done()) {
      const next = this.#next();
      if (next === undefined) throw new Error("Cannot reach the condition: no timer is pending");
      if (next.at > limit) throw new Error(`Cannot reach the condition: not within ${limitMs} ms`);
      await this.#fire(next);
    }
  }

  /** Runs all work that needs no time. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (waitingForTurn() > 0) quiet = -1;
    }
  }

  async #fire(timer: PendingTimer): Promise<void> {
    this.#timers.pop();
    this.#now = timer.at;
    timer.fire?.();
    await this.settle();
  }

  /** Returns the earliest timer that was not cancelled. */
  #next(): PendingTimer | undefined {
    for (;;) {
      const next = this.#timers.peek();
      if (next === undefined || next.fire !== undefined) return next;
      this.#timers.pop();
    }
  }
}
