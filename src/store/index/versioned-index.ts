import { StoreClosedError } from "../errors.ts";
import { type Change, changedKey, type Entry, type ListOptions, type Page, type Revision } from "../store.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { exactBytes } from "./exact-bytes.ts";
import { applyChanges, type Commit, History, type State } from "./history.ts";
import { Nursery } from "./nursery.ts";
import { orderKey, prefixEnd, successor } from "./order-key.ts";
import { WatchHub } from "./watch-hub.ts";

/** About two milliseconds of work. */
const changesPerTurn = 2000;

/**
 * The state that readers and watchers see: the present, the history window and the watches. A store applies a
 * commit here once it is durable, which makes it visible.
 */
export class VersionedIndex {
  readonly history: History;
  /** Holds new values. */
  readonly nursery = new Nursery();
  readonly #present: State;
  readonly #hub = new WatchHub();
  #closed = false;

  /** Takes ownership of the state: the caller must not change it. */
  constructor(state: State, revision: Revision) {
    this.#present = state;
    this.history = new History(state, revision);
  }

  get revision(): Revision {
    return this.history.current;
  }

  get compacted(): Revision {
    return this.history.compacted;
  }

  /** Returns the present entry, even in a closed index. */
  get(key: string): Entry | undefined {
    return this.#present.get(orderKey(key));
  }

  read(key: string, at?: Revision): Entry | undefined {
    this.checkOpen();
    const present = this.get(key);
    if (at === undefined) return present;
    this.history.check(at);
    // An entry that was last written at or before that revision was the same then. Most reads are of the
    // newest commit.
    if (present !== undefined && present.revision <= at) return present;
    return this.#stateAt(at).get(orderKey(key));
  }

  list(prefix: string, options: ListOptions = {}): Page {
    this.checkOpen();
    const state = this.#stateAt(options.at);
    const lower = orderKey(prefix);
    const after = options.after === undefined ? "" : successor(orderKey(options.after));
    const start = state.rank(after > lower ? after : lower);
    const end = Math.max(start, state.rank(prefixEnd(lower)));
    const stop = Math.min(end, start + (options.limit ?? Infinity));
    return {
      entries: state.range(start, stop),
      revision: options.at ?? this.revision,
      remaining: end - stop,
    };
  }

  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]> {
    this.checkOpen();
    const history: Change[] = [];
    for (const commit of this.history.between(after, this.revision)) {
      for (const change of commit.changes) if (changedKey(change).startsWith(prefix)) history.push(change);
    }
    return this.#hub.open(prefix, history, signal);
  }

  apply(commit: Commit): void {
    applyChanges(this.#present, commit.changes);
    this.history.record(commit, this.#present);
    this.#hub.publish(commit.changes);
  }

  /**
   * Forgets everything that was superseded before `before`. Values that stay are moved out of the slabs that
   * they share with superseded ones: an entry's bytes may move, but never change.
   */
  async compact(before: Revision): Promise<void> {
    let moved = 0;
    for (const { changes } of this.history.between(this.compacted, before)) {
      for (const change of changes) {
        if (change.type === "put" && this.get(change.entry.key) === change.entry)
          moveToOwnBuffer(change.entry);
      }
      moved += changes.length;
      if (moved < changesPerTurn) continue;
      moved = 0;
      await yieldToSockets();
    }
    this.history.compact(before);
  }

  /** Returns a copy of the present in constant time; later commits do not change it. */
  snapshot(): State {
    this.checkOpen();
    return this.#present.fork();
  }

  /** Refuses callers from here on; commits in progress still reach the watches. */
  refuse(): void {
    this.#closed = true;
  }

  close(): void {
    this.refuse();
    this.#hub.close();
  }

  checkOpen(): void {
    if (this.#closed) throw new StoreClosedError();
  }

  #stateAt(revision: Revision | undefined): State {
    return revision === undefined || revision === this.revision ? this.#present : this.history.at(revision);
  }
}

function moveToOwnBuffer(entry: { value: Uint8Array }): void {
  entry.value = exactBytes(entry.value);
}
