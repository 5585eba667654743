/** A parser for the subset of DER (X.690) that certificate requests use. */

/** Thrown when bytes are not valid DER. */
export class DerError extends Error {
  override readonly name = "DerError";
}

export interface DerElement {
  readonly tag: number;
  /** The bytes of the element, including tag and length. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

export const derTags = {
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Reads consecutive elements. @throws DerError */
export function readElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = readElement(bytes.subarray(at));
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** Reads the elements inside of an element with this tag. @throws DerError */
export function readInside(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return readElements(contentOf(element, tag));
}

/** @throws DerError */
export function contentOf(element: DerElement | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  return element.content;
}

/**
 * Reads one element. Refuses encodings that are not canonical, because a signer might read them differently.
 */
function readElement(bytes: Uint8Array): DerElement {
  const [tag = 0] = bytes;
  const start = 1 + tagBytes(bytes);
  const first = bytes[start] ?? 0;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  // Refuses lengths of more than four bytes and indefinite lengths (BER), which no valid request has.
  if (bytes.length < start + 1 + extra || first === 0x80 || extra > 4) {
    throw new DerError("asn1: syntax error: data truncated");
  }
  const digits = bytes.subarray(start + 1, start + 1 + extra);
  const length = extra === 0 ? first : digits.reduce((sum, digit) => sum * 256 + digit, 0);
  if (digits[0] === 0) throw new DerError("asn1: structure error: superfluous leading zeros in length");
  if (extra > 0 && length < 0x80) throw new DerError("asn1: structure error: non-minimal length");
  const content = start + 1 + extra;
  if (content + length > bytes.length) throw new DerError("asn1: syntax error: data truncated");
  return {
    tag,
    whole: bytes.subarray(0, content + length),
    content: bytes.subarray(content, content + length),
  };
}

/** The number of bytes of the tag after the first one. A large tag continues in groups of seven bits. */
function tagBytes(bytes: Uint8Array): number {
  const [tag = 0] = bytes;
  if ((tag & 0x1f) !== 0x1f) return 0;
  const last = bytes.subarray(1, 5).findIndex((byte) => byte < 0x80);
  if (last < 0) throw new DerError("asn1: syntax error: data truncated");
  return last + 1;
}

/** Formats an object identifier, such as `1.2.840.113549.1.1.11`. */
export function objectIdentifierText(content: Uint8Array): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(value);
    value = 0;
  }
  const [first = 0, ...rest] = parts;
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - top * 40, ...rest].join(".");
}

const bmpString = 0x1e;
const universalString = 0x1c;

/** The text of a string of any type (X.680, clause 41), because a signer may accept each of them. */
export function stringOf({ tag, content }: DerElement): string {
  const bytes = Buffer.from(content);
  if (tag === bmpString) return withoutTerminator(decodeUnits(bytes, 2));
  return tag === universalString ? decodeUnits(bytes, 4) : bytes.toString("utf8");
}

/** Decodes big-endian code units of `size` bytes. Ignores an incomplete unit at the end. */
function decodeUnits(bytes: Buffer, size: 2 | 4): string {
  let text = "";
  for (let at = 0; at + size <= bytes.length; at += size) {
    const unit = bytes.readUIntBE(at, size);
    text += size === 2 ? String.fromCharCode(unit) : unit > 0x10_ffff ? "\ufffd" : String.fromCodePoint(unit);
  }
  return text;
}

/** Some encoders terminate a BMPString with NUL. Go drops that character. */
const withoutTerminator = (text: string) => (text.endsWith("\0") ? text.slice(0, -1) : text);
