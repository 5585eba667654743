import { parseExactly, toJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Entry, Revision, Value } from "../../store/store.ts";

/** An object that is stored, and that the watch cache has not seen yet. */
class Fresh {
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    this.object = object;
  }
}

/** An object whose bytes wait for a revision. */
class Unstamped {
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    this.object = object;
  }
}

/**
 * Objects and their one byte string. An object's JSON is made once, before its commit, with an empty
 * resourceVersion right at the start of its metadata; the commit stamps the revision into that place. The
 * stamped bytes are what LIST copies and every watcher's socket gets.
 *
 * The object that was encoded is remembered by its entry: until the watch cache has seen the change, and then
 * weakly. As long as somebody in the process (an informer, a watcher) holds it, all see the same one; otherwise it is
 * parsed again on demand.
 */
export class Codec {
  /** Leaves room for a revision: those to come have as many digits as the last one, but for one time in ten. */
  #room = "0";

  encode(object: KubeObject): Value {
    const { apiVersion, kind, metadata, ...rest } = object;
    // A key keeps the place where it stood first: the revision leads the metadata, whatever these held.
    const named = { resourceVersion: "", ...metadata };
    named.resourceVersion = this.#room;
    const head = { apiVersion, kind, metadata: named };
    let text = toJson({ ...head, ...rest });
    // Keys of a custom resource that look like numbers have come first: the head is written by itself.
    if (!text.startsWith('{"apiVersion":')) text = `${toJson(head).slice(0, -1)},${toJson(rest).slice(1)}`;
    return { value: exact(text), memo: new Unstamped(object) };
  }

  /** The store calls this when it knows the revision: see `StoreOptions.stamp`. */
  readonly stamp = ({ value, memo }: Value, revision: Revision): Value => {
    this.#room = String(revision);
    if (!(memo instanceof Unstamped)) return { value: restamp(value, revision) };
    // Bytes of our own, which nobody has seen yet, are stamped where they are.
    return {
      value: stampInPlace(value, this.#room),
      memo: new Fresh(withRevision(memo.object, revision)),
    };
  };

  decode(entry: Entry): KubeObject {
    if (entry.memo instanceof Fresh) return entry.memo.object;
    const known: KubeObject | undefined = entry.memo instanceof WeakRef ? entry.memo.deref() : undefined;
    if (known !== undefined) return known;
    const object = parse(entry.value);
    entry.memo = new WeakRef(object);
    return object;
  }

  /** From now on, the object is only remembered as long as somebody in the process holds it. */
  release(entry: Entry): void {
    if (entry.memo instanceof Fresh) entry.memo = new WeakRef(entry.memo.object);
  }
}

/** The first match is the object's own metadata: only apiVersion and kind stand before it, and a quote in a string is escaped. */
const needle = Buffer.from(`"metadata":{"resourceVersion":"`);
const quote = 0x22;

/** The same bytes with another revision: a DELETED event shows the last state at the deletion's revision. */
export function restamp(value: Uint8Array, revision: Revision): Uint8Array {
  const digits = String(revision);
  const place = placeOf(value);
  if (place === undefined) return value;
  const { from, to } = place;
  const stamped = new Uint8Array(value.length - (to - from) + digits.length);
  stamped.set(value.subarray(0, from));
  write(stamped, from, digits);
  stamped.set(value.subarray(to), from + digits.length);
  return stamped;
}

function stampInPlace(value: Uint8Array, digits: string): Uint8Array {
  const place = placeOf(value);
  if (place === undefined || place.to - place.from !== digits.length)
    return restamp(value, Number(digits) as Revision);
  write(value, place.from, digits);
  return value;
}

/** Where a revision stands in an object's bytes. */
function placeOf(value: Uint8Array): { from: number; to: number } | undefined {
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = buffer.indexOf(needle);
  if (start < 0) return undefined;
  const from = start + needle.length;
  return { from, to: buffer.indexOf(quote, from) };
}

function write(bytes: Uint8Array, at: number, digits: string): void {
  for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i);
}

/** Bytes in a buffer of their own: a pooled one would keep 8 KiB alive for each small object. */
function exact(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function parse(bytes: Uint8Array): KubeObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return parseExactly(text) as KubeObject;
}

export function withRevision<T extends KubeObject>(object: T, revision: Revision): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
