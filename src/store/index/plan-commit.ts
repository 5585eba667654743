import { ExpectationError, InvalidCommitError } from "../errors.ts";
import {
  type Change,
  changedKey,
  type Entry,
  type Expectation,
  type Revision,
  type StoreOptions,
  type Write,
} from "../store.ts";
import type { Nursery } from "./nursery.ts";
import { orderKey } from "./order-key.ts";
import { ascending } from "../../util/compare.ts";

/** The state against which a commit is planned. */
export interface CommitContext {
  /** Returns the newest entry of a key, including commits in progress. */
  readonly lookup: (key: string) => Entry | undefined;
  /** The revision that the commit gets if it changes anything. */
  readonly revision: Revision;
  readonly stamp: StoreOptions["stamp"];
  readonly nursery: Nursery;
}

/**
 * Returns the changes of the writes, in order of key; none when they change nothing.
 * @throws ExpectationError, InvalidCommitError
 */
export function planCommit(
  context: CommitContext,
  writes: readonly Write[],
  expectations: readonly Expectation[],
): Change[] {
  checkKeys(writes);
  for (const expectation of expectations) {
    const actual = context.lookup(expectation.key);
    if ((actual?.revision ?? 0) !== expectation.revision) throw new ExpectationError(expectation, actual);
  }
  const [first] = writes;
  // The history keeps every list, and one that grew by `push` has room for sixteen more changes.
  if (first !== undefined && writes.length === 1) {
    const only = planWrite(context, first);
    return only === undefined ? [] : [only];
  }
  return writes
    .map((write) => planWrite(context, write))
    .filter((change) => change !== undefined)
    .sort(byKey);
}

function planWrite({ lookup, revision, stamp, nursery }: CommitContext, write: Write): Change | undefined {
  const previous = lookup(write.key);
  if (write.type === "delete") return previous && { type: "delete", revision, previous };
  const { value, memo } = stamp === undefined ? write : stamp(write, revision);
  const created = previous?.created ?? revision;
  const entry: Entry = { key: write.key, value: nursery.place(value), revision, created, memo };
  return previous === undefined
    ? { type: "put", revision, entry }
    : { type: "put", revision, entry, previous };
}

function checkKeys(writes: readonly Write[]): void {
  for (const { key } of writes) {
    if (key === "") throw new InvalidCommitError("a key is empty");
    if (!key.isWellFormed()) throw new InvalidCommitError(`${key} has no UTF-8 form`);
  }
  if (writes.length < 2) return;
  const keys = new Set<string>();
  for (const { key } of writes) {
    if (keys.has(key)) throw new InvalidCommitError(`it writes ${key} twice`);
    keys.add(key);
  }
}

function byKey(a: Change, b: Change): number {
  return ascending(orderKey(changedKey(a)), orderKey(changedKey(b)));
}
