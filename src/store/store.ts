import type { Clock } from "../util/clock.ts";

declare const revisionBrand: unique symbol;

/** The position of a write in the store's one history. Starts at 1, grows by at least 1 with each commit, stays below 2^53. */
export type Revision = number & { readonly [revisionBrand]: true };

/**
 * One key's state at a revision. Entries are immutable, but for their memo: a later write makes a new one. The bytes
 * of a value never change, and may be moved: to keep a view of them is to keep what lies beside them.
 */
export interface Entry {
  readonly key: string;
  /** The bytes that were written, with the revision stamped in (see `StoreOptions.stamp`). Never mutate. */
  readonly value: Uint8Array;
  /** The commit that wrote this value. */
  readonly revision: Revision;
  /** The commit that created the key, since it was last absent. */
  readonly created: Revision;
  /** What readers in this process keep beside the value, such as its decoded form. Nothing to the store. */
  memo?: object | undefined;
}

/** One change of one key, as seen by a watcher. `previous` is absent when the key was created. */
export type Change =
  | { readonly type: "put"; readonly revision: Revision; readonly entry: Entry; readonly previous?: Entry }
  | { readonly type: "delete"; readonly revision: Revision; readonly previous: Entry };

export function changedKey(change: Change): string {
  return change.type === "put" ? change.entry.key : change.previous.key;
}

/** A value to be stamped, or one that was. */
export interface Value {
  readonly value: Uint8Array;
  readonly memo?: object | undefined;
}

/** A put takes its value over: nobody may change the bytes afterwards. A key is any non-empty well-formed string. */
export type Write =
  | ({ readonly type: "put"; readonly key: string } & Value)
  | { readonly type: "delete"; readonly key: string };

/** Holds when the key was last written at `revision`; 0 says that the key must be absent. */
export interface Expectation {
  readonly key: string;
  readonly revision: Revision | 0;
}

export interface ListOptions {
  /** Read the state as of this revision; without it, the present. */
  readonly at?: Revision;
  /** At most so many entries. */
  readonly limit?: number;
  /** Only keys bytewise greater than this one. */
  readonly after?: string;
}

export interface Page {
  /** In bytewise order of key. */
  readonly entries: readonly Entry[];
  /** The revision the page shows. */
  readonly revision: Revision;
  /** How many entries of the prefix follow the last one of this page. */
  readonly remaining: number;
}

export interface StoreOptions {
  readonly clock: Clock;
  /** How long superseded revisions stay readable, in milliseconds. Default 5 minutes. */
  readonly historyMs?: number;
  /** How many bytes of superseded values the window may hold; beyond, the oldest go early. Default: a 128th of the machine's memory, 32 to 512 MiB. */
  readonly historyBytes?: number;
  /**
   * Writes the revision into a value before anyone sees it. A revision is known only at commit, but an
   * object carries it in its bytes, and those bytes are made once and shared. Default: the value as it is.
   */
  readonly stamp?: (value: Value, revision: Revision) => Value;
}

/**
 * An ordered key-value map with one history (the subset of etcd that Kubernetes needs).
 *
 * Invariants, which the shared suite proves for every implementation:
 * 1. A commit is all or nothing, and is acknowledged after it is durable.
 * 2. Every commit has its own revision, strictly increasing, also across restarts. The writes of one commit share it.
 * 3. Nobody reads or watches a write before it is durable; expectations are nevertheless checked against
 *    commits under way, so of two racing writers exactly one wins.
 * 4. A watch delivers every change after its revision once, in order of revision, then of key within a commit.
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
   * Applies all writes or none, at one new revision. Deleting an absent key is no change; a commit that
   * changes nothing returns the present revision.
   * @throws InvalidCommitError when the commit makes no sense: nothing was written.
   * @throws ExpectationError when an expectation does not hold: nothing was written.
   * @throws StoreFailedError when the medium refused: nothing was written.
   */
  commit(writes: readonly Write[], expectations?: readonly Expectation[]): Promise<Revision>;

  /**
   * Every change under `prefix` after revision `after`, in batches, until the signal fires or the store closes.
   * History comes first, then what happens. Each batch holds whole commits. A consumer that falls behind
   * by more than `maxPendingChanges` gets a SlowWatcherError instead of missing something.
   * @throws CompactedError when `after` is below `compacted`, FutureRevisionError when it is ahead.
   */
  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]>;

  /** Resolves once reads see every commit acknowledged before this call, by whatever process. */
  sync(): Promise<Revision>;

  /**
   * Resolves when the medium takes writes: at once after one that succeeded, else after one that is made to see.
   * @throws StoreFailedError when the medium refuses
   */
  probe(): Promise<void>;

  /** Forgets what was superseded before `before`. The present state stays. */
  compact(before: Revision): Promise<void>;

  /** Waits for commits under way, then releases everything. Later calls throw StoreClosedError. */
  close(): Promise<void>;
}

/** A watcher may have so many undelivered changes before it is cut off. */
export const maxPendingChanges = 100_000;
