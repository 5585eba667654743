import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { TooManyValuesError } from "../json.ts";
import { messages, type MessageType, optional, string } from "../schema.ts";
import { BoundedReader } from "./bounded-reader.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { readMessage } from "./read-message.ts";
import { expect, skip } from "./special-forms.ts";
import { writeMessage } from "./write-message.ts";
import { errorText } from "../../util/error-text.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** The prefix of every envelope: `k8s` and a zero byte. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

const TypeMeta = messages("io.k8s.apimachinery.pkg.runtime")("TypeMeta", "What an envelope holds.", {
  apiVersion: optional(1, string, "The object's group and version."),
  kind: optional(2, string, "The object's kind."),
});

/**
 * Opens an envelope. Returns its apiVersion and kind, and the fields of `schema` in JSON's form. The result
 * is as untrusted as parsed JSON.
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
    // Errors of the reader: a varint is too long, or bytes are missing.
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

/** The type in the envelope, and the schema of the object inside. */
export interface SealedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: MessageType;
}

/**
 * Writes an envelope with a canonical object. Lists use the message type of their kind: see `listMessage`.
 */
export function encodeEnvelope(object: object, { schema, ...kind }: SealedKind): Uint8Array {
  const raw = encodeMessage(object, schema);
  const { before, after } = envelope(kind, raw.length);
  return Buffer.concat([before, raw, after]);
}

/** Writes the message of a canonical object, without an envelope. */
export function encodeMessage(object: object, schema: MessageType): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, schema, fieldsOf(object));
  return writer.finish();
}

/** The bytes of the envelope before and after a message of this length. */
export function envelope(
  { apiVersion, kind }: Omit<SealedKind, "schema">,
  length: number,
): { readonly before: Uint8Array; readonly after: Uint8Array } {
  const before = new BinaryWriter().raw(magic).tag(1, WireType.LengthDelimited).fork();
  writeMessage(before, TypeMeta, { apiVersion, kind });
  before.join().tag(2, WireType.LengthDelimited).uint32(length);
  // Content encoding and type are unused, but Go writes them.
  const after = new BinaryWriter().tag(3, WireType.LengthDelimited).string("");
  after.tag(4, WireType.LengthDelimited).string("");
  return { before: before.finish(), after: after.finish() };
}
