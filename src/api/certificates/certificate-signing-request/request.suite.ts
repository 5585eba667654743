import { generateKeyPairSync, sign } from "node:crypto";

/** An attribute of a subject. `text` is encoded as a string type with this tag. */
export interface SubjectAttribute {
  readonly type: keyof typeof identifiers;
  readonly text: string;
  /** UTF8String by default. */
  readonly tag?: number;
}

const identifiers = { commonName: [0x55, 0x04, 0x03], organization: [0x55, 0x04, 0x0a] } as const;
const tags = { integer: 0x02, bits: 0x03, identifier: 0x06, utf8: 0x0c, sequence: 0x30, set: 0x31 } as const;
/** The number of bytes per character, by the string type's tag. */
const widths: ReadonlyMap<number, number> = new Map([
  [0x1c, 4],
  [0x1e, 2],
]);

/**
 * A certificate request (PKCS #10), as PEM in Base64. Each list of attributes is one relative distinguished
 * name.
 */
export function signingRequest(...parts: readonly (readonly SubjectAttribute[])[]): string {
  const pem = Buffer.from(requestPem(...parts));
  return pem.toString("base64");
}

export function requestPem(...parts: readonly (readonly SubjectAttribute[])[]): string {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const name = der(tags.sequence, ...parts.map((one) => der(tags.set, ...one.map(attribute))));
  const key = publicKey.export({ type: "spki", format: "der" });
  const info = der(tags.sequence, der(tags.integer, bytes(0)), name, key, der(0xa0));
  const ed25519 = der(tags.sequence, der(tags.identifier, bytes(0x2b, 0x65, 0x70)));
  const signature = der(tags.bits, bytes(0), sign(null, info, privateKey));
  const body = der(tags.sequence, info, ed25519, signature).toString("base64");
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
}

function attribute({ type, text, tag = tags.utf8 }: SubjectAttribute): Buffer {
  const width = widths.get(tag) ?? 1;
  const wide = Array.from(text, (character) => {
    const unit = Buffer.alloc(width);
    unit.writeUIntBE(character.codePointAt(0) ?? 0, 0, width);
    return unit;
  });
  const content = width === 1 ? Buffer.from(text) : Buffer.concat(wide);
  return der(tags.sequence, der(tags.identifier, bytes(...identifiers[type])), der(tag, content));
}

const bytes = (...values: readonly number[]) => Buffer.from(values);

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([bytes(tag, ...(length < 0x80 ? [length] : long)), content]);
}
