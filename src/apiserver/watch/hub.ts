import { type Change, changedKey, type Revision, type Store } from "../../store/store.ts";
import type { Logger } from "../../util/logger.ts";
import type { Codec } from "../resources/codec.ts";
import { Feed, type IndexedField } from "./feed.ts";
import { WatchRecord } from "./record.ts";

/** The number of changes of one resource that can be replayed to a resuming watcher. */
const ringSize = 16_384;

/**
 * The watch cache: one watch on the store feeds every watcher of every resource. Watchers are indexed by
 * namespace and name, so a change costs nothing for others.
 */
export class WatchHub {
  readonly #store: Store;
  readonly #codec: Codec;
  readonly #log: Logger;
  readonly #resources = new Map<string, Feed>();
  readonly #indexed: ReadonlyMap<string, IndexedField>;
  /** Everything after this revision has passed, or will pass, through the feeds. */
  readonly #origin: Revision;
  #position: Revision;
  #running = false;

  /** `indexed` holds the field by which a resource's watches are indexed, if it has one. */
  constructor(store: Store, codec: Codec, log: Logger, indexed: ReadonlyMap<string, IndexedField>) {
    this.#store = store;
    this.#codec = codec;
    this.#log = log;
    this.#indexed = indexed;
    this.#origin = store.compacted;
    this.#position = this.#origin;
  }

  /** Everything up to this revision has reached its watchers' queues. */
  get position(): Revision {
    return this.#position;
  }

  /** Reports whether changes still arrive: otherwise watchers would wait forever. */
  get running(): boolean {
    return this.#running;
  }

  /**
   * Replays the store's history into the rings, so that watches resume across a restart; then follows the
   * store.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#running = true;
    try {
      for await (const changes of this.#store.watch("/registry/", this.#position, signal))
        this.#dispatch(changes);
    } catch (error) {
      this.#log.error("the watch cache lost the store", { error: String(error) });
      throw error;
    } finally {
      this.#running = false;
      for (const feed of this.#resources.values()) feed.close();
    }
  }

  #dispatch(changes: readonly Change[]): void {
    const touched = new Set<Feed>();
    for (const change of changes) {
      const feed = this.feed(resourceOf(changedKey(change)));
      feed.push(change);
      touched.add(feed);
      this.#position = change.revision;
    }
    for (const feed of touched) feed.flush();
    for (const change of changes) if (change.type === "put") this.#codec.release(change.entry);
  }

  /** Returns the feed of one resource, by its location in the store: `pods`, `deployments.apps`. */
  feed(resource: string): Feed {
    let feed = this.#resources.get(resource);
    if (feed === undefined) {
      feed = new Feed({
        capacity: ringSize,
        from: this.#origin,
        record: (change) => new WatchRecord(change, this.#codec),
        indexed: this.#indexed.get(resource),
      });
      this.#resources.set(resource, feed);
    }
    return feed;
  }

  /** Drops everything that the store has compacted, because without changes nothing else does. */
  forget(): void {
    for (const feed of this.#resources.values()) feed.forget(this.#store.compacted);
  }

  /** The number of watchers by resource: a metric. */
  get watchers(): ReadonlyMap<string, number> {
    return new Map([...this.#resources].map(([resource, feed]) => [resource, feed.size]));
  }
}

/** `/registry/<resource>/…` */
function resourceOf(key: string): string {
  const start = "/registry/".length;
  return key.slice(start, key.indexOf("/", start));
}
