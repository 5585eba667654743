import { StoreFailedError } from "../errors.ts";
import type { Commit } from "../index/history.ts";
import type { Row } from "./rows.ts";

/** The greatest size of a transaction, so that no commit waits long for a shared sync. */
const maxBatchBytes = 8 * 2 ** 20;
/** About half a millisecond of work. */
const commitsPerTurn = 32;
/** The limit of waiting bytes: above it the disk cannot keep up, and further commits are refused. */
const maxWaitingBytes = 256 * 2 ** 20;

interface Waiting {
  readonly commit: Commit;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: StoreFailedError) => void;
}

export interface GroupCommitOptions {
  /** Makes rows durable, all or none. There may be no rows. */
  readonly write: (rows: readonly Row[]) => Promise<void>;
  /** Shows a durable commit to readers. Called in order of revision, before its caller is informed. */
  readonly apply: (commit: Commit) => void;
  /** No commit in progress will become durable. Called before the callers are informed. */
  readonly abandon: () => void;
}

/**
 * Makes one transaction, and so one sync, of all commits that arrive while the disk is busy with earlier
 * ones. A commit that finds the disk idle waits only for the others of the same turn of the event loop.
 * Durable commits are shown to readers in slices, one per turn: the event loop continues, and while the main
 * thread shows a large batch, the disk already has the next one.
 *
 * A failure fails all waiting commits, because later commits were planned on top of the failed ones.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** Invariant: commits move from `#waiting` over the disk to `#durable` in order of revision. */
  #waiting: Waiting[] = [];
  #durable: Waiting[] = [];
  #waitingBytes = 0;
  #writing = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return !this.#writing && this.#durable.length === 0;
  }

  /** @throws StoreFailedError when too much is waiting already. */
  checkRoom(): void {
    if (this.#waitingBytes <= maxWaitingBytes) return;
    throw new StoreFailedError(`${this.#waitingBytes} bytes wait for the disk`);
  }

  /**
   * Resolves when the commit, and all before it, are durable and applied. A commit without changes only
   * waits.
   */
  add(commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = bytesOf(commit);
      this.#waiting.push({ commit, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      if (this.#writing) return;
      this.#writing = true;
      setImmediate(() => this.#writeNext());
    });
  }

  #writeNext(): void {
    const batch = this.#takeBatch();
    this.#writing = batch.length > 0;
    if (this.#writing) void this.#write(batch);
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#options.write(batch.flatMap(({ commit }) => toRows(commit)));
    } catch (cause) {
      this.#fail(batch, cause);
      return;
    }
    // The disk gets its next work before the main thread does its own.
    this.#writeNext();
    const alreadyShowing = this.#durable.length > 0;
    for (const waiting of batch) this.#durable.push(waiting);
    if (!alreadyShowing) this.#show();
  }

  #show(): void {
    for (const { commit, resolve } of this.#durable.splice(0, commitsPerTurn)) {
      if (commit.changes.length > 0) this.#options.apply(commit);
      resolve();
    }
    if (this.#durable.length > 0) setImmediate(() => this.#show());
  }

  #takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#waiting.length && bytes < maxBatchBytes) bytes += this.#waiting[count++]?.bytes ?? 0;
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  #fail(batch: readonly Waiting[], cause: unknown): void {
    while (this.#durable.length > 0) this.#show();
    const failed = [...batch, ...this.#waiting.splice(0)];
    this.#waitingBytes = 0;
    this.#writing = false;
    this.#options.abandon();
    for (const { reject } of failed) reject(new StoreFailedError(cause));
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
