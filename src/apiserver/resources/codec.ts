import { parseExactly, toJson } from "../../meta/json.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Entry, Revision, Value } from "../../store/store.ts";

/** The object of a stored entry whose change the watch cache has not received yet. */
class Fresh {
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    this.object = object;
  }
}

/** An encoded object without its revision. */
class Unstamped {
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    this.object = object;
  }
}

/**
 * Encodes objects into the byte strings that are stored. An object's JSON is made once, before its commit,
 * with an empty resourceVersion at the start of its metadata. The commit stamps the revision into that place.
 * LIST copies the stamped bytes, and every watcher's socket gets them.
 *
 * The entry keeps the encoded object until the watch cache has received the change, and then weakly. As long
 * as any component (an informer, a watcher) holds the object, all get the same one; otherwise it is parsed
 * again on demand.
 */
export class Codec {
  /** Reserves space for a revision: the next ones usually have as many digits as the last one. */
  #room = "0";

  encode(object: KubeObject): Value {
    const { apiVersion, kind, metadata, ...rest } = object;
    // A key keeps its first position, so the revision comes first in the metadata.
    const named = { resourceVersion: "", ...metadata };
    named.resourceVersion = this.#room;
    const head = { apiVersion, kind, metadata: named };
    let text = toJson({ ...head, ...rest });
    // Number-like keys of a custom resource have come first: the head is written separately.
    if (!text.startsWith('{"apiVersion":')) text = `${toJson(head).slice(0, -1)},${toJson(rest).slice(1)}`;
    return { value: exact(text), memo: new Unstamped(object) };
  }

  /** Stamps the revision, which the store knows at commit: see `StoreOptions.stamp`. */
  readonly stamp = ({ value, memo }: Value, revision: Revision): Value => {
    this.#room = String(revision);
    if (!(memo instanceof Unstamped)) return { value: restamp(value, revision) };
    // Our own bytes, which are not visible yet, are stamped in place.
    return {
      value: stampInPlace(value, revision, this.#room),
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

  /** Decodes an entry below the kind's prefix. */
  read<O extends object, I extends object>(_kind: Kind<O, I>, entry: Entry): KubeObject<O> {
    // Safe: below a kind's prefix the store holds only objects that its schema has decoded.
    return this.decode(entry) as KubeObject<O>;
  }

  /** Weakens the entry's reference to its object, because the watch cache has received the change. */
  release(entry: Entry): void {
    if (entry.memo instanceof Fresh) entry.memo = new WeakRef(entry.memo.object);
  }
}

/**
 * The first match is the object's own metadata: only apiVersion and kind precede it, and a quote in a string
 * is escaped.
 */
const needle = Buffer.from(`"metadata":{"resourceVersion":"`);
const quote = 0x22;

/**
 * Returns the bytes with another revision: a DELETED event has the last state with the deletion's revision.
 */
export function restamp(value: Uint8Array, revision: Revision): Uint8Array {
  const digits = String(revision);
  const place = positionOfRevision(value);
  if (place === undefined) return value;
  const { from, to } = place;
  const stamped = new Uint8Array(value.length - (to - from) + digits.length);
  stamped.set(value.subarray(0, from));
  write(stamped, from, digits);
  stamped.set(value.subarray(to), from + digits.length);
  return stamped;
}

function stampInPlace(value: Uint8Array, revision: Revision, digits: string): Uint8Array {
  const place = positionOfRevision(value);
  if (place === undefined || place.to - place.from !== digits.length) return restamp(value, revision);
  write(value, place.from, digits);
  return value;
}

/** Returns the position of the revision in an object's bytes. */
function positionOfRevision(value: Uint8Array): { from: number; to: number } | undefined {
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = buffer.indexOf(needle);
  if (start < 0) return undefined;
  const from = start + needle.length;
  return { from, to: buffer.indexOf(quote, from) };
}

function write(bytes: Uint8Array, at: number, digits: string): void {
  for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i);
}

/** Returns bytes in a buffer of their own: a pooled one would keep 8 KiB alive for each small object. */
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
