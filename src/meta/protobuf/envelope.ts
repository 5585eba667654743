import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { maxValues, TooManyValuesError, tooManyValues } from "../json.ts";
import { messages, type MessageType, optional, string } from "../schema.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { readMessage } from "./read-message.ts";
import { expect, skip } from "./special-forms.ts";
import { writeMessage } from "./write-message.ts";
import { errorText } from "../../util/error-text.ts";

/** `k8s` and a zero byte: what every envelope starts with. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

const TypeMeta = messages("io.k8s.apimachinery.pkg.runtime")("TypeMeta", "What an envelope holds.", {
  apiVersion: optional(1, string, "The object's group and version."),
  kind: optional(2, string, "The object's kind."),
});

/** A reader of no more fields than a JSON text may have values: two bytes are enough for an empty message. */
class BoundedReader extends BinaryReader {
  #fields = 0;

  override tag(): [number, WireType] {
    if (++this.#fields > maxValues) throw tooManyValues();
    return super.tag();
  }
}

/**
 * Opens an envelope: apiVersion and kind as it names them, and the fields of `schema` in JSON's form. What it
 * gives is as untrusted as parsed JSON.
 *
 * @throws ProtobufError, TooManyValuesError
 */
export function decodeEnvelope(bytes: Uint8Array, schema: MessageType): unknown {
  if (!magic.equals(bytes.subarray(0, magic.length))) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(" ")}]`,
    );
  }
  if (bytes.length === magic.length) throw new ProtobufError("empty body");
  try {
    const { typeMeta, raw } = open(new BinaryReader(bytes.subarray(magic.length)));
    const fields = {};
    readMessage(new BoundedReader(raw), raw.length, schema, fields);
    return { ...typeMeta, ...fields };
  } catch (error) {
    if (error instanceof ProtobufError || error instanceof TooManyValuesError) throw error;
    // The reader's own errors: a varint that is too long, or bytes that end early.
    throw new ProtobufError(errorText(error), { cause: error });
  }
}

function open(reader: BinaryReader): { typeMeta: object; raw: Uint8Array } {
  const typeMeta = {};
  let raw: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number > 2) {
      skip(reader, wireType);
      continue;
    }
    expect(wireType, WireType.LengthDelimited, number === 1 ? "typeMeta" : "raw");
    const bytes = reader.bytes();
    if (number === 2) raw = bytes;
    else readMessage(new BinaryReader(bytes), bytes.length, TypeMeta, typeMeta);
  }
  return { typeMeta, raw };
}

/** What an envelope says on the outside, and how the inside is written. */
export interface SealedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: MessageType;
}

/** Seals a canonical object. Lists are sealed by the message of their kind: see `listMessage`. */
export function encodeEnvelope(object: object, { schema, ...kind }: SealedKind): Uint8Array {
  const raw = encodeMessage(object, schema);
  const { before, after } = envelope(kind, raw.length);
  return Buffer.concat([before, raw, after]);
}

/** A canonical object's message alone. */
export function encodeMessage(object: object, schema: MessageType): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, schema, object as Readonly<Record<string, unknown>>);
  return writer.finish();
}

/** What stands around a message of so many bytes. */
export function envelope(
  { apiVersion, kind }: Omit<SealedKind, "schema">,
  length: number,
): { readonly before: Uint8Array; readonly after: Uint8Array } {
  const before = new BinaryWriter().raw(magic).tag(1, WireType.LengthDelimited).fork();
  writeMessage(before, TypeMeta, { apiVersion, kind });
  before.join().tag(2, WireType.LengthDelimited).uint32(length);
  // Content encoding and type: not used, but Go writes them.
  const after = new BinaryWriter().tag(3, WireType.LengthDelimited).string("");
  after.tag(4, WireType.LengthDelimited).string("");
  return { before: before.finish(), after: after.finish() };
}
