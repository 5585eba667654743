import { SlowWatcherError, type StoreError } from "../errors.ts";
import { type Change, maxPendingChanges } from "../store.ts";

/**
 * One consumer's queue of changes. Changes that arrive while the consumer works, or within one turn of the
 * event loop's microtasks, form one batch. Commits are pushed whole, so batches hold whole commits. The queue
 * may hold `maxPendingChanges` beyond the history that the watch began with; a consumer that exceeds it is
 * disconnected with an error.
 */
export class Watcher implements AsyncIterable<readonly Change[]> {
  readonly prefix: string;
  readonly #limit: number;
  readonly #onEnd: () => void;
  #pending: Change[];
  #ended = false;
  #error: StoreError | undefined;
  #wake = () => {};

  constructor(prefix: string, history: Change[], onEnd: () => void) {
    this.prefix = prefix;
    this.#pending = history;
    this.#limit = history.length + maxPendingChanges;
    this.#onEnd = onEnd;
  }

  push(change: Change): void {
    this.#pending.push(change);
    if (this.#pending.length > this.#limit) this.#cutOff(new SlowWatcherError(this.#pending.length));
    else this.#wake();
  }

  /** Ends the watch after everything pushed. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#wake();
  }

  /** Ends the watch at once. */
  cancel(): void {
    this.#pending = [];
    this.finish();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Change[], void, void> {
    try {
      while (true) {
        const batch = this.#pending;
        this.#pending = [];
        if (batch.length > 0) yield batch;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#ended) return;
        else await this.#pushed();
      }
    } finally {
      this.cancel();
    }
  }

  #cutOff(error: StoreError): void {
    this.#error = error;
    this.cancel();
  }

  #pushed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
