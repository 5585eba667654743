import type { KubeObject } from "../../meta/kind.ts";
import type { Entry, Revision } from "../../store/store.ts";

/**
 * Objects and their one byte string. An object's JSON is made once, before its commit, with an empty
 * resourceVersion right at the start of its metadata; the commit stamps the revision into that place. The
 * stamped bytes are what LIST copies and every watcher's socket gets.
 *
 * The object that was encoded is remembered by its bytes, weakly: as long as somebody in the process (an
 * informer, a watcher) holds it, all see the same one; otherwise it is parsed again on demand.
 */
export class Codec {
  /** Objects whose bytes wait for a revision. */
  readonly #unstamped = new WeakMap<Uint8Array, KubeObject>();
  readonly #decoded = new WeakMap<Uint8Array, WeakRef<KubeObject>>();

  encode(object: KubeObject): Uint8Array {
    const { apiVersion, kind, metadata, ...rest } = object;
    const text = JSON.stringify({
      apiVersion,
      kind,
      metadata: { ...metadata, resourceVersion: undefined },
      ...rest,
    });
    // The first match is the object's own metadata: only apiVersion and kind stand before it, and a quote
    // inside a string is escaped. A stored object has a name and a UID, so a comma always follows.
    const bytes = exact(text.replace(`"metadata":{`, `${mark},`));
    this.#unstamped.set(bytes, object);
    return bytes;
  }

  /** The store calls this when it knows the revision: see `StoreOptions.stamp`. */
  readonly stamp = (value: Uint8Array, revision: Revision): Uint8Array => {
    const stamped = restamp(value, revision);
    const object = this.#unstamped.get(value);
    if (object !== undefined) this.#remember(stamped, withRevision(object, revision));
    return stamped;
  };

  decode(entry: Entry): KubeObject {
    const known = this.#decoded.get(entry.value)?.deref();
    if (known !== undefined) return known;
    const object = parse(entry.value);
    this.#remember(entry.value, object);
    return object;
  }

  #remember(bytes: Uint8Array, object: KubeObject): void {
    this.#decoded.set(bytes, new WeakRef(object));
  }
}

const mark = `"metadata":{"resourceVersion":""`;
const needle = Buffer.from(`"metadata":{"resourceVersion":"`);
const quote = 0x22;

/** The same bytes with another revision: a DELETED event shows the last state at the deletion's revision. */
export function restamp(value: Uint8Array, revision: Revision): Uint8Array {
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = buffer.indexOf(needle);
  if (start < 0) return value;
  const from = start + needle.length;
  const to = buffer.indexOf(quote, from);
  const digits = String(revision);
  const stamped = new Uint8Array(value.length - (to - from) + digits.length);
  stamped.set(value.subarray(0, from));
  for (let i = 0; i < digits.length; i++) stamped[from + i] = digits.charCodeAt(i);
  stamped.set(value.subarray(to), from + digits.length);
  return stamped;
}

/** Bytes in a buffer of their own: a pooled one would keep 8 KiB alive for each small object. */
function exact(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text);
  return bytes;
}

function parse(bytes: Uint8Array): KubeObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return JSON.parse(text) as KubeObject;
}

export function withRevision<T extends KubeObject>(object: T, revision: Revision): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
