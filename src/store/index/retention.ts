import type { Clock, Timer } from "../../util/clock.ts";
import { memoryShare } from "../../util/memory-share.ts";
import { StoreError } from "../errors.ts";
import type { Revision, StoreOptions } from "../store.ts";
import type { History } from "./history.ts";

const defaultHistoryMs = 5 * 60_000;
/** A small machine keeps less. */
const defaultHistoryBytes = memoryShare();

/**
 * Decides when history is old or large enough to be compacted. Without history there is no timer. The timer
 * fires at most ten times in a window, however many commits expire in it.
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

  /** Must be called after each commit. */
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

  /**
   * Compacts expired history. When the store cannot compact now, it keeps more history than configured until
   * the next timer.
   */
  async #expire(): Promise<void> {
    this.#compacting = true;
    // Down to three quarters of the budget, because otherwise every commit at the limit would compact again.
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
