import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type MessageType, resolve, type ScalarType } from "../schema.ts";
import { specialForms } from "./special-forms.ts";
import { type Resolved, type WireField, wireFieldsOf } from "./wire-field.ts";
import { sortedEntries } from "../../util/compare.ts";
import { fieldsOf } from "../../util/is-object.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Writes the fields of a canonical object as Go's emitters do. */
export function writeMessage(writer: BinaryWriter, type: MessageType, object: JsonObject): void {
  for (const field of wireFieldsOf(type).inOrder) {
    const value = field.presence === "inline" ? object : object[field.name];
    if (value !== undefined && value !== null) writeField(writer, field, value);
    else if (field.presence !== "pointer") writeAbsent(writer, field);
  }
}

function writeField(writer: BinaryWriter, { number, type }: WireField, value: unknown): void {
  switch (type.kind) {
    case "list":
      for (const item of asList(value)) writeValue(writer, number, resolve(type.of), item);
      return;
    case "map":
      for (const [key, item] of sortedEntries(fieldsOf(value))) {
        writer.tag(number, WireType.LengthDelimited).fork();
        writer.tag(1, WireType.LengthDelimited).string(key);
        const of = resolve(type.of);
        // Go's nil bytes: the entry only has a key.
        if (item !== null || of.kind !== "scalar" || of.name !== "bytes") writeValue(writer, 2, of, item);
        writer.join();
      }
      return;
    case "message":
    case "scalar":
      writeValue(writer, number, type, value);
  }
}

/** Writes a non-pointer Go field that is absent in JSON. */
function writeAbsent(writer: BinaryWriter, { number, type }: WireField): void {
  if (type.kind === "message") writeValue(writer, number, type, {});
  else if (type.kind === "scalar" && type.name !== "bytes") writeValue(writer, number, type, undefined);
}

function writeValue(writer: BinaryWriter, number: number, type: Resolved, value: unknown): void {
  switch (type.kind) {
    case "scalar":
      writeScalar(writer, number, type, value);
      return;
    case "message":
      writer.tag(number, WireType.LengthDelimited).fork();
      writeMessage(writer, type, fieldsOf(value));
      writer.join();
      return;
    case "list":
      // A list in a list or map is a separate message.
      writer.tag(number, WireType.LengthDelimited).fork();
      for (const item of asList(value)) writeValue(writer, 1, resolve(type.of), item);
      writer.join();
      return;
    case "map":
      throw new TypeError("Cannot write a map within a list or map: protobuf cannot represent it");
  }
}

/** `value` is undefined for Go's zero value. */
function writeScalar(writer: BinaryWriter, number: number, type: ScalarType, value: unknown): void {
  const { name, union } = type;
  switch (name) {
    case "string":
      writer.tag(number, WireType.LengthDelimited).string(typeof value === "string" ? value : "");
      return;
    case "boolean":
      writer.tag(number, WireType.Varint).bool(value === true);
      return;
    case "int32":
      writer.tag(number, WireType.Varint).int32(asNumber(value));
      return;
    case "int64":
      writer.tag(number, WireType.Varint).int64(BigInt(asNumber(value)));
      return;
    case "double":
      writer.tag(number, WireType.Bit64).double(asNumber(value));
      return;
    case "bytes": {
      const bytes = Buffer.from(typeof value === "string" ? value : "", "base64");
      writer.tag(number, WireType.LengthDelimited).bytes(bytes);
      return;
    }
    default:
      writer.tag(number, WireType.LengthDelimited).fork();
      if (union !== undefined) writeMessage(writer, union.message(), union.split(value));
      else specialForms[name]?.write(writer, value ?? undefined);
      writer.join();
  }
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
