/**
 * The calls of the main thread to the worker, which carries them out one at a time, in order, and answers
 * each.
 */
export interface Calls {
  /** Opens or creates the file and locks it. Returns the compacted revision. */
  open: { argument: string; result: number };
  /** Reads rows in the order they were written, beginning after a position. No rows mean the end. */
  load: { argument: number; result: Chunk };
  /** Appends packed rows in one transaction. */
  write: { argument: ArrayBuffer; result: void };
  /** Makes writes durable that change nothing: one to the file, and this many bytes beside it. */
  probe: { argument: number; result: void };
  compact: { argument: Compaction; result: void };
  /** Releases some free space to the file system. Returns whether there is more. */
  tidy: { argument: void; result: boolean };
  close: { argument: void; result: void };
}

export interface Chunk {
  readonly rows: ArrayBuffer;
  /** The position of the last row. */
  readonly last: number;
}

export interface Compaction {
  /** Durable before any row is deleted. */
  readonly compacted: number;
  readonly obsolete: readonly ObsoleteRow[];
}

/** A row that no revision from `compacted` on shows. */
export interface ObsoleteRow {
  readonly revision: number;
  readonly key: string;
}

export type CallName = keyof Calls;

export type Request = { [Name in CallName]: { name: Name; argument: Calls[Name]["argument"] } }[CallName];

export type Reply = { readonly result: Calls[CallName]["result"] } | { readonly error: unknown };
