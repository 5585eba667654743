import type { Clock, Timer } from "../../util/clock.ts";
import { memoryShare } from "../../util/memory-share.ts";
import { StoreError } from "../errors.ts";
import type { Revision, StoreOptions } from "../store.ts";
import type { History } from "./history.ts";

const defaultHistoryMs = 5 * 60_000;
/** A small machine keeps less. */
const defaultHistoryBytes = memoryShare();

/**
 * Decides when history is old enough, or big enough, to be forgotten. While there is no history there is no
 * timer; a timer fires at most ten times in a window, however many commits expire in it.
 */
export class Retention {
  readonly #clock: Clock;
  readonly #history: History;
  readonly #historyMs: number;
  readonly #historyBytes: number;
  readonly #compact: (before: Revision) => Promise<void>;
  #timer: Timer | undefined;
  #compacting = false;
  #stopped = false;

  constructor(options: StoreOptions, history: History, compact: (before: Revision) => Promise<void>) {
    this.#clock = options.clock;
    this.#history = history;
    this.#historyMs = options.historyMs ?? defaultHistoryMs;
    this.#historyBytes = options.historyBytes ?? defaultHistoryBytes;
    this.#compact = compact;
  }

  /** To be called after each commit. */
  notice(): void {
    if (this.#stopped || this.#compacting) return;
    if (this.#history.supersededBytes > this.#historyBytes) void this.#expire();
    else if (this.#timer === undefined) this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    const oldest = this.#history.oldestTime;
    if (oldest === undefined || this.#historyMs === Infinity) return;
    const due = oldest + this.#historyMs - this.#clock.now();
    this.#timer = this.#clock.after(Math.max(due, this.#historyMs / 10), () => {
      this.#timer = undefined;
      void this.#expire();
    });
  }

  /** A store that cannot compact now keeps more history than asked for, and tries again with the next timer. */
  async #expire(): Promise<void> {
    this.#compacting = true;
    // Down to three quarters of the budget, or every commit at the limit would compact again.
    const bytes =
      this.#history.supersededBytes > this.#historyBytes ? this.#historyBytes * 0.75 : this.#historyBytes;
    try {
      const before = this.#history.expired(this.#clock.now() - this.#historyMs, bytes);
      if (before > this.#history.compacted) await this.#compact(before);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    } finally {
      this.#compacting = false;
    }
    if (!this.#stopped && this.#timer === undefined) this.#arm();
  }
}
