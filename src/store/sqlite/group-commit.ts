import { StoreFailedError } from "../errors.ts";
import type { Commit } from "../index/history.ts";
import type { Row } from "./rows.ts";

/** One transaction holds no more than this, so that nobody waits long for a sync shared with much else. */
const maxBatchBytes = 8 * 2 ** 20;
/** When more than this waits, the disk cannot keep up and further commits are refused. */
const maxWaitingBytes = 256 * 2 ** 20;

interface Waiting {
  readonly commit: Commit;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: StoreFailedError) => void;
}

export interface GroupCommitOptions {
  /** Makes rows durable, all or none. There may be no rows at all. */
  readonly write: (rows: readonly Row[]) => Promise<void>;
  /** Shows a durable commit to readers. Called in order of revision, before its caller hears. */
  readonly apply: (commit: Commit) => void;
  /** Nothing under way will become durable. Called before the callers hear. */
  readonly abandon: () => void;
}

/**
 * Makes one transaction, and so one sync, of all commits that gather while the disk is busy with those before.
 * A commit that finds the disk idle waits only for the others of the same turn of the event loop.
 *
 * A failure fails everything that waits, because later commits were planned on top of the failed ones.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #busy = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return !this.#busy;
  }

  /** @throws StoreFailedError when too much waits already. */
  checkRoom(): void {
    if (this.#waitingBytes <= maxWaitingBytes) return;
    throw new StoreFailedError(`${this.#waitingBytes} bytes wait for the disk`);
  }

  /** Resolves when the commit, and all before it, are durable and applied. A commit without changes only waits. */
  add(commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = bytesOf(commit);
      this.#waiting.push({ commit, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      if (this.#busy) return;
      this.#busy = true;
      setImmediate(() => this.#next());
    });
  }

  #next(): void {
    const batch = this.#takeBatch();
    this.#busy = batch.length > 0;
    if (this.#busy) void this.#write(batch);
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const rows = batch.flatMap(({ commit }) => toRows(commit));
    try {
      await this.#options.write(rows);
    } catch (cause) {
      this.#fail([...batch, ...this.#waiting.splice(0)], cause);
      this.#busy = false;
      return;
    }
    // The disk gets its next work before the main thread does its own.
    this.#next();
    for (const { commit, resolve } of batch) {
      if (commit.changes.length > 0) this.#options.apply(commit);
      resolve();
    }
  }

  #takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#waiting.length && bytes < maxBatchBytes) bytes += this.#waiting[count++]?.bytes ?? 0;
    const batch = this.#waiting.splice(0, count);
    for (const { bytes } of batch) this.#waitingBytes -= bytes;
    return batch;
  }

  #fail(waiting: readonly Waiting[], cause: unknown): void {
    this.#waitingBytes = 0;
    this.#options.abandon();
    for (const { reject } of waiting) reject(new StoreFailedError(cause));
  }
}

function toRows({ revision, time, changes }: Commit): Row[] {
  return changes.map((change) =>
    change.type === "put"
      ? { revision, created: change.entry.created, time, key: change.entry.key, value: change.entry.value }
      : { revision, created: 0, time, key: change.previous.key, value: undefined },
  );
}

function bytesOf({ changes }: Commit): number {
  return changes.reduce((sum, change) => sum + (change.type === "put" ? change.entry.value.length : 0), 0);
}
