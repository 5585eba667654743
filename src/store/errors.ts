import type { Entry, Expectation, Revision } from "./store.ts";
import { errorText } from "../util/error-text.ts";

/** What can go wrong in a store. The class says what the caller should do. */
export abstract class StoreError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Read the entry again and decide anew: somebody else wrote first. */
export class ExpectationError extends StoreError {
  readonly expectation: Expectation;
  /** The state that contradicts, which may not be durable yet; undefined when the key is absent. */
  readonly actual: Pick<Entry, "revision"> | undefined;

  constructor(expectation: Expectation, actual: Pick<Entry, "revision"> | undefined) {
    const found = actual === undefined ? "absent" : `at revision ${actual.revision}`;
    const expected = expectation.revision === 0 ? "absent" : `at revision ${expectation.revision}`;
    super(`Cannot commit: ${expectation.key} is ${found}, expected ${expected}`);
    this.expectation = expectation;
    this.actual = actual && { revision: actual.revision };
  }
}

/** Fix the caller: no store could carry the commit out. */
export class InvalidCommitError extends StoreError {
  constructor(reason: string) {
    super(`Cannot commit: ${reason}`);
  }
}

/** Start again from the present: the revision was compacted away. */
export class CompactedError extends StoreError {
  readonly requested: Revision;
  readonly compacted: Revision;

  constructor(requested: Revision, compacted: Revision) {
    super(`Cannot read revision ${requested}: history starts at ${compacted}`);
    this.requested = requested;
    this.compacted = compacted;
  }
}

/** Wait, or treat the revision as bogus: the store has not reached it. */
export class FutureRevisionError extends StoreError {
  readonly requested: Revision;
  readonly current: Revision;

  constructor(requested: Revision, current: Revision) {
    super(`Cannot read revision ${requested}: the store is at ${current}`);
    this.requested = requested;
    this.current = current;
  }
}

/** List and watch again: the consumer did not keep up. */
export class SlowWatcherError extends StoreError {
  constructor(pending: number) {
    super(`Cannot continue the watch: ${pending} changes wait for a consumer that does not read`);
  }
}

/** Nothing was written; try later: the medium refused (disk full, I/O error, connection lost). */
export class StoreFailedError extends StoreError {
  constructor(cause: unknown) {
    super(`Cannot write: ${errorText(cause)}`, { cause });
  }
}

/** Ask the operator: the file is held by another process, is from a newer version, or is no store at all. */
export class StoreOpenError extends StoreError {
  constructor(file: string, cause: unknown) {
    super(`Cannot open the store ${file}: ${errorText(cause)}`, { cause });
  }
}

/** Stop: the store was closed. */
export class StoreClosedError extends StoreError {
  constructor() {
    super("Cannot use the store: it is closed");
  }
}
