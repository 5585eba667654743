/**
 * Shares of one processor: above the first the process works, below the second it rests. Between them nothing changes,
 * because a thousand nodes at rest take a tenth.
 */
const atWork = 0.3;
const atRest = 0.15;
/** The idle times after which memory is collected: at once, when the work has surely ended, and when its history has expired. */
const collectAfterMs = [0, 60_000, 6.5 * 60_000];
/** The growth of the heap that is worth a collection, as a share of what the last one left, and in bytes. */
const growth = { share: 1 / 8, bytes: 4 * 2 ** 20 };

/** The next step: to collect the heap, or to release the pages that a collection has freed. */
export type MemoryStep = "none" | "collect" | "release";

export interface Look {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** The share of one processor since the last look. */
  readonly share: number;
  /** The bytes that the heap uses, garbage included. */
  readonly heapUsed: number;
}

/** Decides when a process that has worked and now rests gives memory back. */
export class RestMachine {
  /** The start was work, too. */
  #restsSince = 0;
  #due: readonly number[] = collectAfterMs;
  #hasCollected = false;
  /** The bytes that the last collection left. */
  #kept = 0;

  look({ at, share, heapUsed }: Look): MemoryStep {
    if (share > atWork) {
      this.#restsSince = at;
      this.#due = collectAfterMs;
    }
    if (this.#hasCollected) {
      this.#hasCollected = false;
      this.#kept = heapUsed;
      return "release";
    }
    const [after = Infinity, ...later] = this.#due;
    if (share >= atRest || at - this.#restsSince < after) return "none";
    this.#due = later;
    // The collection of a large heap looks like work itself, and must not cause the next one.
    if (heapUsed < this.#kept * (1 + growth.share) + growth.bytes) return "release";
    this.#hasCollected = true;
    return "collect";
  }
}
