import type { Entry, Expectation, Revision } from "./store.ts";
import { errorText } from "../util/error-text.ts";

/** An error of a store. The class tells the caller how to react. */
export abstract class StoreError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Another writer was first: read the entry again, and decide again. */
export class ExpectationError extends StoreError {
  readonly expectation: Expectation;
  /** The conflicting state, which may not be durable yet; undefined when the key is absent. */
  readonly actual: Pick<Entry, "revision"> | undefined;

  constructor(expectation: Expectation, actual: Pick<Entry, "revision"> | undefined) {
    const found = actual === undefined ? "absent" : `at revision ${actual.revision}`;
    const expected = expectation.revision === 0 ? "absent" : `at revision ${expectation.revision}`;
    super(`Cannot commit: ${expectation.key} is ${found}, expected ${expected}`);
    this.expectation = expectation;
    this.actual = actual && { revision: actual.revision };
  }
}

/** The commit is invalid: correct the caller. */
export class InvalidCommitError extends StoreError {
  constructor(reason: string) {
    super(`Cannot commit: ${reason}`);
  }
}

/** The revision was compacted away: start again from the present. */
export class CompactedError extends StoreError {
  readonly requested: Revision;
  readonly compacted: Revision;

  constructor(requested: Revision, compacted: Revision) {
    super(`Cannot read revision ${requested}: history starts at ${compacted}`);
    this.requested = requested;
    this.compacted = compacted;
  }
}

/** The store has not reached the revision: wait, or treat it as invalid. */
export class FutureRevisionError extends StoreError {
  readonly requested: Revision;
  readonly current: Revision;

  constructor(requested: Revision, current: Revision) {
    super(`Cannot read revision ${requested}: the store is at ${current}`);
    this.requested = requested;
    this.current = current;
  }
}

/** The consumer did not keep up: list and watch again. */
export class SlowWatcherError extends StoreError {
  constructor(pending: number) {
    super(`Cannot continue the watch: ${pending} changes wait for a consumer that does not read`);
  }
}

/** The medium refused (disk full, I/O error, connection lost) and nothing was written: retry later. */
export class StoreFailedError extends StoreError {
  constructor(cause: unknown) {
    super(`Cannot write: ${errorText(cause)}`, { cause });
  }
}

/** The file is locked by another process, is from a newer version, or is no store: ask the operator. */
export class StoreOpenError extends StoreError {
  constructor(file: string, cause: unknown) {
    super(`Cannot open the store ${file}: ${errorText(cause)}`, { cause });
  }
}

/** The store was closed: stop. */
export class StoreClosedError extends StoreError {
  constructor() {
    super("Cannot use the store: it is closed");
  }
}
