import { type Change, changedKey, type Entry, type Revision } from "../../store/store.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { ChangeLog } from "./change-log.ts";
import type { WatchRecord } from "./record.ts";
import { noRevision } from "../../store/revision.ts";

/** The index entry of a watcher. The watcher itself compares changes with its selectors later. */
export interface Interest {
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Empty for all names. */
  readonly name: string;
  /** The required value of the resource's indexed field; undefined for any. */
  readonly indexed?: string | undefined;
}

/** Reads the field by which a resource's watches are indexed. */
export type IndexedField = (object: KubeObject) => string;

/** The greatest number of undelivered changes before a watcher is disconnected. */
const maxPending = 10_000;

/** One watcher's bounded queue. A watcher that does not read is disconnected, and relists. */
export class Subscription {
  readonly interest: Interest;
  #pending: WatchRecord[] = [];
  #wake: (() => void) | undefined;
  #state: "open" | "closed" | "slow" = "open";
  readonly #after: Revision;
  readonly #leave: () => void;

  constructor(interest: Interest, after: Revision, backlog: WatchRecord[], leave: () => void) {
    this.interest = interest;
    this.#after = after;
    this.#pending = backlog;
    this.#leave = leave;
  }

  /** Reports whether there is, or may be, something to read. */
  get open(): boolean {
    return this.#state === "open" || this.#pending.length > 0;
  }

  /** Reports whether the watcher was disconnected because it did not keep up. */
  get slow(): boolean {
    return this.#state === "slow";
  }

  push(record: WatchRecord): void {
    // A list may be newer than the feed: the list has these changes already.
    if (this.#state !== "open" || record.revision <= this.#after) return;
    this.#pending.push(record);
    if (this.#pending.length > maxPending) {
      this.#state = "slow";
      this.#pending = [];
      this.#leave();
    }
  }

  /** Returns everything pending at once, for a reader that polls. */
  drain(): readonly WatchRecord[] {
    const batch = this.#pending;
    this.#pending = [];
    return batch;
  }

  flush(): void {
    this.#wake?.();
  }

  close(): void {
    if (this.#state === "open") this.#state = "closed";
    this.#leave();
    this.#wake?.();
  }

  /** Resolves to everything pending; to nothing when closed, or woken by `flush`. One reader at a time. */
  next(): Promise<readonly WatchRecord[]> {
    if (this.#pending.length > 0 || this.#state !== "open") return Promise.resolve(this.drain());
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve(this.drain());
      };
    });
  }
}

export interface FeedOptions {
  /** The number of changes that can be replayed to a resuming watcher. */
  readonly capacity: number;
  /** The revision after which all changes will pass through. */
  readonly from: Revision;
  readonly record: (change: Change) => WatchRecord;
  readonly indexed: IndexedField | undefined;
}

/**
 * One resource's recent changes, and the watchers of future ones. The changes are the store's own objects.
 * Their events are kept only until the watchers have them.
 */
export class Feed {
  readonly #log: ChangeLog;
  readonly #record: FeedOptions["record"];
  readonly #indexed: IndexedField | undefined;
  readonly #indexedValues = new WeakMap<Entry, string>();
  readonly #interested = new Map<string, Set<Subscription>>();
  readonly #touched = new Set<Subscription>();
  readonly #observers: ((record: WatchRecord) => void)[] = [];
  #size = 0;
  #last = noRevision;

  constructor({ capacity, from, record, indexed }: FeedOptions) {
    this.#log = new ChangeLog(capacity, from);
    this.#record = record;
    this.#indexed = indexed;
  }

  get size(): number {
    return this.#size;
  }

  /** The newest change that has passed through; 0 without one. */
  get last(): Revision {
    return this.#last;
  }

  /** Watches can resume after this revision and later ones. */
  get from(): Revision {
    return this.#log.from;
  }

  /** Drops changes that the store has compacted: watches can no longer resume before them. */
  forget(upTo: Revision): void {
    this.#log.forget(upTo);
  }

  /** Calls `observer` for each change from now on, before any watcher receives it. It must not throw. */
  observe(observer: (record: WatchRecord) => void): void {
    this.#observers.push(observer);
  }

  push(change: Change): void {
    this.#log.push(change);
    const record = this.#record(change);
    this.#last = record.revision;
    for (const observer of this.#observers) observer(record);
    if (this.#size === 0) return;
    for (const key of this.#fileKeys(record)) {
      for (const subscription of this.#interested.get(key) ?? []) {
        subscription.push(record);
        this.#touched.add(subscription);
      }
    }
  }

  /** Wakes watchers with new events: once for each batch, so that a tick's events are sent in one write. */
  flush(): void {
    for (const subscription of this.#touched) subscription.flush();
    this.#touched.clear();
  }

  /** The caller has checked that `after` is not before `from`. */
  subscribe(interest: Interest, after: Revision): Subscription {
    const key = fileKey(interest);
    const subscriptions = this.#interested.get(key) ?? new Set();
    this.#interested.set(key, subscriptions);
    const subscription = new Subscription(interest, after, this.#since(after, interest), () => {
      if (!subscriptions.delete(subscription)) return;
      this.#size -= 1;
      if (subscriptions.size === 0 && this.#interested.get(key) === subscriptions)
        this.#interested.delete(key);
    });
    subscriptions.add(subscription);
    this.#size += 1;
    return subscription;
  }

  close(): void {
    for (const subscriptions of this.#interested.values()) {
      for (const subscription of subscriptions) subscription.close();
    }
  }

  /** Returns every index key of subscriptions that may match this change. */
  #fileKeys(record: WatchRecord): Set<string> {
    const { namespace, name } = namespacedName(record.key);
    const keys = new Set(["/", `/${name}`, `${namespace}/`, `${namespace}/${name}`]);
    if (this.#indexed === undefined) return keys;
    // An object whose value changes concerns the watchers of both values.
    for (const entry of [record.entry, record.previous]) {
      if (entry !== undefined) keys.add(`=${this.#indexedValue(this.#indexed, entry, record)}`);
    }
    return keys;
  }

  /** Remembered for each entry: at the next change, the previous object may have to be parsed for it. */
  #indexedValue(indexed: IndexedField, entry: Entry, record: WatchRecord): string {
    let value = this.#indexedValues.get(entry);
    if (value === undefined) this.#indexedValues.set(entry, (value = indexed(record.decode(entry))));
    return value;
  }

  #since(after: Revision, interest: Interest): WatchRecord[] {
    const changes = this.#log.since(after);
    return changes.filter((change) => concerns(changedKey(change), interest)).map(this.#record);
  }
}

function fileKey({ namespace, name, indexed }: Interest): string {
  return indexed === undefined ? `${namespace}/${name}` : `=${indexed}`;
}

/** `/registry/<resource>/[<namespace>/]<name>` */
function namespacedName(key: string): { namespace: string; name: string } {
  const [, , , first = "", second] = key.split("/");
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}

function concerns(key: string, { namespace, name }: Interest): boolean {
  const place = namespacedName(key);
  return (name === "" || place.name === name) && (namespace === "" || place.namespace === namespace);
}
