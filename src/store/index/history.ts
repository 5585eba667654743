import { LruMap } from "../../util/lru.ts";
import { CompactedError, FutureRevisionError } from "../errors.ts";
import type { Change, Entry, Revision } from "../store.ts";
import { orderKey } from "./order-key.ts";
import type { SortedMap } from "./sorted-map.ts";

/** The changes of one commit, in order of key. One commit never changes a key twice. */
export interface Commit {
  readonly revision: Revision;
  /** Wall time of the commit in milliseconds. */
  readonly time: number;
  readonly changes: readonly Change[];
}

export type State = SortedMap<Entry>;

/** The greatest number of changes that are replayed to rebuild a past state: about a millisecond. */
const changesPerCheckpoint = 1024;
/** Clients that page through a list use the same few revisions. */
const maxViews = 8;

/**
 * The log of recent commits, from which every state in its range can be rebuilt. A past state is rebuilt from
 * the last checkpoint before it. Checkpoints and rebuilt states share all nodes of the map that did not
 * change in between.
 */
export class History {
  #log: Commit[] = [];
  /** Ascending; the first is the state at `compacted`, from which all later ones can be rebuilt. */
  #checkpoints: { readonly revision: Revision; readonly state: State }[];
  #views = new LruMap<Revision, State>(maxViews);
  #changesSinceCheckpoint = 0;
  #supersededBytes = 0;
  #current: Revision;

  constructor(base: State, compacted: Revision) {
    this.#checkpoints = [{ revision: compacted, state: base.fork() }];
    this.#current = compacted;
  }

  get current(): Revision {
    return this.#current;
  }

  get compacted(): Revision {
    return this.#base.revision;
  }

  /** The size of all values that only the history keeps alive. */
  get supersededBytes(): number {
    return this.#supersededBytes;
  }

  get oldestTime(): number | undefined {
    return this.#log[0]?.time;
  }

  /** Appends a commit that `present` already includes. */
  record(commit: Commit, present: State): void {
    this.#log.push(commit);
    this.#current = commit.revision;
    this.#supersededBytes += supersededBytes(commit);
    this.#changesSinceCheckpoint += commit.changes.length;
    if (this.#changesSinceCheckpoint < changesPerCheckpoint) return;
    this.#checkpoints.push({ revision: commit.revision, state: present.fork() });
    this.#changesSinceCheckpoint = 0;
  }

  /** Returns the state at a revision. The caller must not change it. */
  at(revision: Revision): State {
    this.check(revision);
    let view = this.#views.get(revision);
    if (view === undefined) {
      view = this.#rebuild(revision);
      this.#views.set(revision, view);
    }
    return view;
  }

  /** Returns the commits after one revision, up to and including another. */
  between(after: Revision, through: Revision): readonly Commit[] {
    this.check(after);
    return this.#log.slice(this.#positionAfter(after), this.#positionAfter(through));
  }

  /**
   * Returns the newest revision that may be compacted when commits up to `time` have expired and `bytes` is
   * the budget.
   */
  expired(time: number, bytes: number): Revision {
    let revision = this.compacted;
    let kept = this.#supersededBytes;
    for (const commit of this.#log) {
      if (commit.time > time && kept <= bytes) break;
      kept -= supersededBytes(commit);
      revision = commit.revision;
    }
    return revision;
  }

  compact(before: Revision): void {
    if (before <= this.compacted) return;
    const state = this.at(before);
    const count = this.#positionAfter(before);
    for (const commit of this.#log.slice(0, count)) this.#supersededBytes -= supersededBytes(commit);
    this.#log = this.#log.slice(count);
    this.#checkpoints = [
      { revision: before, state },
      ...this.#checkpoints.filter((checkpoint) => checkpoint.revision > before),
    ];
    this.#views = new LruMap(maxViews);
  }

  /** @throws CompactedError, FutureRevisionError */
  check(revision: Revision): void {
    if (revision < this.compacted) throw new CompactedError(revision, this.compacted);
    if (revision > this.#current) throw new FutureRevisionError(revision, this.#current);
  }

  get #base() {
    const base = this.#checkpoints[0];
    if (base === undefined) throw new RangeError("Cannot read history: no base");
    return base;
  }

  #rebuild(revision: Revision): State {
    const checkpoint = this.#checkpoints.findLast((one) => one.revision <= revision) ?? this.#base;
    const state = checkpoint.state.fork();
    for (const commit of this.between(checkpoint.revision, revision)) applyChanges(state, commit.changes);
    return state;
  }

  /** Returns the position in the log of the first commit after a revision. */
  #positionAfter(revision: Revision): number {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function applyChanges(state: State, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.type === "put") state.set(orderKey(change.entry.key), change.entry);
    else state.delete(orderKey(change.previous.key));
  }
}

function supersededBytes(commit: Commit): number {
  return commit.changes.reduce((sum, change) => sum + (change.previous?.value.length ?? 0), 0);
}
