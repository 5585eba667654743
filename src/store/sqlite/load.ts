import { exactBytes } from "../index/exact-bytes.ts";
import type { Commit } from "../index/history.ts";
import { orderKey } from "../index/order-key.ts";
import { SortedMap } from "../index/sorted-map.ts";
import { VersionedIndex } from "../index/versioned-index.ts";
import { toRevision } from "../revision.ts";
import type { Change, Entry, Revision } from "../store.ts";
import type { ObsoleteRow } from "./calls.ts";
import { type Row, unpackRows } from "./rows.ts";
import type { WriterThread } from "./writer-thread.ts";

export interface Loaded {
  readonly index: VersionedIndex;
  /** The rest of an interrupted compaction. */
  readonly obsolete: ObsoleteRow[];
}

/** Reads the log: rows up to the compacted revision form the oldest state, the others its history. */
export async function load(thread: WriterThread, compacted: Revision): Promise<Loaded> {
  const base = new BaseLoader();
  let history: HistoryLoader | undefined;
  let chunk = await thread.call("load", 0);
  while (chunk.rows.byteLength > 0) {
    const next = thread.call("load", chunk.last);
    for (const row of unpackRows(chunk.rows)) {
      if (row.revision <= compacted) base.add(row);
      else (history ??= new HistoryLoader(base.state, compacted)).add(row);
    }
    chunk = await next;
  }
  history ??= new HistoryLoader(base.state, compacted);
  return { index: history.finish(), obsolete: base.obsolete };
}

class BaseLoader {
  readonly state = SortedMap.empty<Entry>();
  readonly obsolete: ObsoleteRow[] = [];

  add(row: Row): void {
    const entry = toEntry(row);
    const order = orderKey(row.key);
    const previous = entry === undefined ? this.state.delete(order) : this.state.set(order, entry);
    if (previous !== undefined) this.obsolete.push({ revision: previous.revision, key: row.key });
    if (entry === undefined) this.obsolete.push({ revision: row.revision, key: row.key });
  }
}

/** Reassembles the rows of one revision, and finds the entries that they superseded. */
class HistoryLoader {
  readonly #index: VersionedIndex;
  #commit: Commit & { readonly changes: Change[] };

  constructor(state: SortedMap<Entry>, compacted: Revision) {
    this.#index = new VersionedIndex(state, compacted);
    this.#commit = { revision: compacted, time: 0, changes: [] };
  }

  add(row: Row): void {
    const revision = toRevision(row.revision);
    if (revision !== this.#commit.revision) {
      this.#apply();
      this.#commit = { revision, time: row.time, changes: [] };
    }
    const change = toChange(revision, toEntry(row), this.#index.get(row.key));
    if (change !== undefined) this.#commit.changes.push(change);
  }

  finish(): VersionedIndex {
    this.#apply();
    return this.#index;
  }

  #apply(): void {
    if (this.#commit.changes.length > 0) this.#index.apply(this.#commit);
  }
}

function toChange(
  revision: Revision,
  entry: Entry | undefined,
  previous: Entry | undefined,
): Change | undefined {
  if (entry === undefined) return previous && { type: "delete", revision, previous };
  return previous === undefined
    ? { type: "put", revision, entry }
    : { type: "put", revision, entry, previous };
}

function toEntry({ revision, created, key, value }: Row): Entry | undefined {
  return (
    value && { key, value: exactBytes(value), revision: toRevision(revision), created: toRevision(created) }
  );
}
