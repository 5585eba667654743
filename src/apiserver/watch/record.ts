import type { EncodedEvent } from "../../meta/exchange.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { type Change, changedKey, type Entry, type Revision } from "../../store/store.ts";
import { type Codec, restamp, withRevision } from "../resources/codec.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One change, decoded and encoded at most once for all watchers. */
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
    return this.entry === undefined ? undefined : this.decode(this.entry);
  }

  get before(): KubeObject | undefined {
    return this.previous === undefined ? undefined : this.decode(this.previous);
  }

  decode(entry: Entry): KubeObject {
    return this.#codec.decode(entry);
  }

  /** Returns the event for a watcher whose selection matched before, or matches now. */
  event(held: boolean, holds: boolean): EncodedEvent {
    return this.#make(holds ? (held ? "MODIFIED" : "ADDED") : "DELETED");
  }

  #make(type: EventType): EncodedEvent {
    return (this.#events[type] ??= type === "DELETED" ? this.#deleted() : this.#present(type));
  }

  #present(type: "ADDED" | "MODIFIED"): EncodedEvent {
    const { entry } = this;
    if (entry === undefined)
      throw new TypeError("Cannot make an event: a deleted object is neither added nor modified");
    return entryEvent(type, entry, this.#codec);
  }

  /**
   * A watcher that no longer selects an object gets its last selected state, with the revision of the change.
   */
  #deleted(): EncodedEvent {
    const { previous, revision } = this;
    if (previous === undefined)
      throw new TypeError("Cannot make a DELETED event: the object did not exist before");
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

/** Computes a value at its first use. */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

const newline = Buffer.from("}\n");

/** Returns one line of a watch response. */
export function frame(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, newline]);
}
