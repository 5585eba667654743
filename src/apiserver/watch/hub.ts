import type { EncodedEvent } from "../../meta/exchange.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Logger } from "../../util/logger.ts";
import { type Change, changedKey, type Entry, type Revision, type Store } from "../../store/store.ts";
import { type Codec, restamp, withRevision } from "../resources/codec.ts";
import { Feed, type IndexedField } from "./feed.ts";

/** So many changes of one resource can be replayed to a watcher that resumes. */
const ringSize = 16_384;

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One change, decoded and encoded at most once for all who see it. */
export class WatchRecord {
  readonly revision: Revision;
  readonly key: string;
  /** The state after the change; undefined when the object was deleted. */
  readonly entry: Entry | undefined;
  readonly previous: Entry | undefined;
  readonly #codec: Codec;
  readonly #events: { [type in EventType]?: EncodedEvent } = {};

  constructor(change: Change, codec: Codec) {
    this.revision = change.revision;
    this.entry = change.type === "put" ? change.entry : undefined;
    this.previous = change.previous;
    this.key = changedKey(change);
    this.#codec = codec;
  }

  get object(): KubeObject | undefined {
    return this.entry === undefined ? undefined : this.#codec.decode(this.entry);
  }

  get before(): KubeObject | undefined {
    return this.previous === undefined ? undefined : this.#codec.decode(this.previous);
  }

  /** The event for a watcher whose selection held before, or holds now. */
  event(held: boolean, holds: boolean): EncodedEvent {
    return this.#make(holds ? (held ? "MODIFIED" : "ADDED") : "DELETED");
  }

  #make(type: EventType): EncodedEvent {
    return (this.#events[type] ??= type === "DELETED" ? this.#deleted() : this.#present(type));
  }

  #present(type: "ADDED" | "MODIFIED"): EncodedEvent {
    const { entry } = this;
    if (entry === undefined) throw new TypeError("a deleted object is neither added nor modified");
    return entryEvent(type, entry, this.#codec);
  }

  /** A watcher that loses an object sees it as it was while it was selected, at the revision of the change. */
  #deleted(): EncodedEvent {
    const { previous, revision } = this;
    if (previous === undefined) throw new TypeError("what was not there cannot go");
    const object = withRevision(this.#codec.decode(previous), revision);
    return {
      event: { type: "DELETED", object },
      encoded: once(() => frame("DELETED", restamp(previous.value, revision))),
    };
  }
}

export function entryEvent(type: EventType, entry: Entry, codec: Codec): EncodedEvent {
  return {
    event: {
      type,
      get object() {
        return codec.decode(entry);
      },
    },
    encoded: once(() => frame(type, entry.value)),
  };
}

/** Makes something when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

const newline = Buffer.from("}\n");

/** One line of a watch response. */
export function frame(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, newline]);
}

/**
 * The watch cache: one watch on the store feeds every watcher of every resource. A change costs those
 * who may want it (indexed by namespace and name), not all.
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

  /** `indexed` gives the field that a resource's watches are indexed by, where it has one. */
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

  /** Whether changes still arrive: without that, watchers would wait for ever. */
  get running(): boolean {
    return this.#running;
  }

  /** Replays the store's history into the rings, so that watches resume across a restart; then follows. */
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
  }

  /** The feed of one resource, by its place in the store: `pods`, `deployments.apps`. */
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

  /** Lets go of all that the store has forgotten: at rest nothing else would. */
  forget(): void {
    for (const feed of this.#resources.values()) feed.forget(this.#store.compacted);
  }

  /** How many watchers there are, by resource: a metric. */
  get watchers(): ReadonlyMap<string, number> {
    return new Map([...this.#resources].map(([resource, feed]) => [resource, feed.size]));
  }
}

/** `/registry/<resource>/…` */
function resourceOf(key: string): string {
  const start = "/registry/".length;
  return key.slice(start, key.indexOf("/", start));
}
