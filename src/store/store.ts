import type { Clock } from "../util/clock.ts";

declare const revisionBrand: unique symbol;

/**
 * The position of a commit in the store's one history. Starts at 1, grows by at least 1 with each commit,
 * stays below 2^53.
 */
export type Revision = number & { readonly [revisionBrand]: true };

/**
 * One key's state at a revision. Entries are immutable, except for their memo: a later write makes a new
 * entry. The bytes of a value never change, but may be moved. A kept view of them keeps the bytes beside them
 * alive.
 */
export interface Entry {
  readonly key: string;
  /** The written bytes, with the revision stamped in (see `StoreOptions.stamp`). Never mutate. */
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly revision: Revision;
  /** The revision of the commit that created the key, since it was last absent. */
  readonly created: Revision;
  /**
   * Data that readers in this process keep beside the value, such as its decoded form. The store ignores it.
   */
  memo?: object | undefined;
}

/** One change of one key, as seen by a watcher. `previous` is absent when the key was created. */
export type Change =
  | { readonly type: "put"; readonly revision: Revision; readonly entry: Entry; readonly previous?: Entry }
  | { readonly type: "delete"; readonly revision: Revision; readonly previous: Entry };

export function changedKey(change: Change): string {
  return change.type === "put" ? change.entry.key : change.previous.key;
}

/** A value before or after stamping. */
export interface Value {
  readonly value: Uint8Array;
  readonly memo?: object | undefined;
}

/**
 * A write to one key, which is any non-empty well-formed string. A put takes ownership of its value: the
 * caller must not change the bytes afterwards.
 */
export type Write =
  | ({ readonly type: "put"; readonly key: string } & Value)
  | { readonly type: "delete"; readonly key: string };

/** Holds when the key was last written at `revision`; 0 means that the key must be absent. */
export interface Expectation {
  readonly key: string;
  readonly revision: Revision | 0;
}

export interface ListOptions {
  /** The revision to read at. Default: the present. */
  readonly at?: Revision;
  /** The greatest number of entries. */
  readonly limit?: number;
  /** Returns only keys bytewise greater than this one. */
  readonly after?: string;
}

export interface Page {
  /** Sorted by the bytes of the key. */
  readonly entries: readonly Entry[];
  /** The revision that the page shows. */
  readonly revision: Revision;
  /** The number of entries of the prefix after this page. */
  readonly remaining: number;
}

export interface StoreOptions {
  readonly clock: Clock;
  /** Milliseconds for which superseded revisions stay readable. Default: 5 minutes. */
  readonly historyMs?: number;
  /**
   * The greatest size of the window's superseded values in bytes; beyond it, the oldest are compacted early.
   * Default: a 128th of the machine's memory, 32 to 512 MiB.
   */
  readonly historyBytes?: number;
  /**
   * Writes the revision into a value before it becomes visible. A revision is known only at commit, but an
   * object carries it in its bytes, and those bytes are made once and shared. Default: the value unchanged.
   */
  readonly stamp?: (value: Value, revision: Revision) => Value;
}

/**
 * An ordered key-value map with one history (the subset of etcd that Kubernetes needs).
 *
 * Invariants, which the shared suite tests for every implementation:
 * 1. A commit is all or nothing, and is acknowledged after it is durable.
 * 2. Every commit has its own revision, strictly increasing, also across restarts. The writes of one commit
 * share it.
 * 3. No write can be read or watched before it is durable. Expectations are still checked against commits in
 * progress, so exactly one of two racing writers succeeds.
 * 4. A watch delivers every change after its revision once, in order of revision, then of key within a
 * commit.
 */
export interface Store {
  /** The newest revision that reads can see; 0 in an empty store. */
  readonly revision: Revision;
  /** Revisions below this one can no longer be read or watched from. */
  readonly compacted: Revision;

  /** @throws CompactedError, FutureRevisionError */
  read(key: string, at?: Revision): Entry | undefined;

  /** @throws CompactedError, FutureRevisionError */
  list(prefix: string, options?: ListOptions): Page;

  /**
   * Applies all writes or none, at one new revision. Deleting an absent key is no change. A commit that
   * changes nothing returns the present revision.
   * @throws InvalidCommitError when the commit is invalid: nothing was written.
   * @throws ExpectationError when an expectation does not hold: nothing was written.
   * @throws StoreFailedError when the medium refused: nothing was written.
   */
  commit(writes: readonly Write[], expectations?: readonly Expectation[]): Promise<Revision>;

  /**
   * Yields every change under `prefix` after revision `after`, in batches, until the signal fires or the
   * store closes. History comes first, then new changes. Each batch holds whole commits. A consumer that
   * falls behind by more than `maxPendingChanges` gets a SlowWatcherError, so that it misses nothing
   * silently.
   * @throws CompactedError when `after` is below `compacted`, FutureRevisionError when it is ahead.
   */
  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]>;

  /** Resolves once reads see every commit that any process acknowledged before this call. */
  sync(): Promise<Revision>;

  /**
   * Resolves when the medium accepts writes: at once after a successful write, else after a test write.
   * @throws StoreFailedError when the medium refuses
   */
  probe(): Promise<void>;

  /** Forgets everything that was superseded before `before`. The present state stays. */
  compact(before: Revision): Promise<void>;

  /** Waits for commits in progress, then releases everything. Later calls throw StoreClosedError. */
  close(): Promise<void>;
}

/** The greatest number of undelivered changes before a watcher is disconnected. */
export const maxPendingChanges = 100_000;
