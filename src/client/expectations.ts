import type { Clock } from "../util/clock.ts";

/**
 * The time without the expected events after which a controller acts on what it sees (upstream's ExpectationsTimeout).
 */
const timeoutMs = 5 * 60_000;

interface Expected {
  creations: number;
  /** UIDs, because a graceful deletion is seen twice, as an update and as a deletion, and must count once. */
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * A controller's writes that its cache does not show yet (upstream `controller.UIDTrackingControllerExpectations`).
 * While a key's expectations are open, its reconciler must not create or delete, or it would do so twice.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the key's expectations. Call this before creating, so that no event precedes the expectation. */
  expectCreations(key: string, count: number): void {
    this.#set(key, count, []);
  }

  /** Replaces the key's expectations. */
  expectDeletions(key: string, uids: readonly string[]): void {
    this.#set(key, 0, uids);
  }

  /** Replaces the key's expectations by creations and deletions. */
  expect(key: string, creations: number, uids: readonly string[]): void {
    this.#set(key, creations, uids);
  }

  /** Notes that a creation was seen, or failed. */
  creationObserved(key: string): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined) expected.creations -= 1;
  }

  /** Notes that a deletion was seen, or failed. A terminating object counts as deleted. */
  deletionObserved(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Reports whether the cache shows every write, or the time is over. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined || (expected.creations <= 0 && expected.deletions.size === 0)) return true;
    return this.#clock.monotonic() - expected.since > timeoutMs;
  }

  /** Drops the expectations of a deleted owner. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  #set(key: string, creations: number, uids: readonly string[]): void {
    this.#expected.set(key, { creations, deletions: new Set(uids), since: this.#clock.monotonic() });
  }
}
