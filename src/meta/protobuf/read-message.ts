import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { setOwn } from "../decode.ts";
import { maxValues, tooManyValues } from "../json.ts";
import type { MapType, MessageType, ScalarType, UnionForm } from "../schema.ts";
import { resolve } from "../schema.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { expect, skip, specialForms } from "./special-forms.ts";
import { type Resolved, type WireField, wireFieldsOf } from "./wire-field.ts";
import { isObject } from "../../util/is-object.ts";

/** The maximum nesting, far above that of real objects. Without it, a sender could overflow the stack. */
const maxDepth = 100;

/**
 * Reads a message's fields up to `end` into a JSON object. As in Go, a repeated field overwrites the first
 * one, but messages are merged and lists continue.
 */
export function readMessage(
  reader: BinaryReader,
  end: number,
  type: MessageType,
  into: Record<string, unknown>,
  depth = 0,
): void {
  if (depth > maxDepth) throw new ProtobufError("Cannot read the message: it nests too deep");
  const { byNumber } = wireFieldsOf(type);
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = byNumber.get(number);
    if (field === undefined) skip(reader, wireType);
    else readField(reader, wireType, field, into, depth);
  }
  if (reader.pos !== end) throw new ProtobufError("unexpected EOF");
}

function readField(
  reader: BinaryReader,
  wireType: WireType,
  { name, presence, type }: WireField,
  into: Record<string, unknown>,
  depth: number,
): void {
  switch (type.kind) {
    case "list": {
      const list = listAt(into, name);
      const of = resolve(type.of);
      if (wireType === WireType.LengthDelimited && of.kind === "scalar" && isNumeric(of)) {
        const end = sectionEnd(reader);
        while (reader.pos < end) {
          if (list.length >= maxValues) throw tooManyValues();
          list.push(readScalar(reader, wireTypeOf(of), of, name, depth));
        }
        if (reader.pos !== end) throw new ProtobufError("unexpected EOF");
      } else {
        list.push(readValue(reader, wireType, of, name, depth));
      }
      return;
    }
    case "map":
      readEntry(reader, wireType, type, name, objectAt(into, name), depth);
      return;
    case "message": {
      expect(wireType, WireType.LengthDelimited, name);
      const target = presence === "inline" ? into : objectAt(into, name);
      readMessage(reader, sectionEnd(reader), type, target, depth + 1);
      return;
    }
    case "scalar": {
      const value = readScalar(reader, wireType, type, name, depth);
      if (value !== undefined) into[name] = value;
    }
  }
}

/** Returns the list of a field, which may occur several times on the wire. */
function listAt(into: Record<string, unknown>, name: string): unknown[] {
  const known = into[name];
  if (Array.isArray(known)) return known;
  const list: unknown[] = [];
  into[name] = list;
  return list;
}

/** Returns the message or map of a field, which may occur several times on the wire. */
function objectAt(into: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = into[name];
  if (isObject(known)) return known;
  const object: Record<string, unknown> = {};
  into[name] = object;
  return object;
}

/**
 * Reads a value in a list or a map. A list in a list or map is a separate message with its items in field 1.
 */
function readValue(
  reader: BinaryReader,
  wireType: WireType,
  type: Resolved,
  name: string,
  depth: number,
): unknown {
  if (type.kind === "scalar") return readScalar(reader, wireType, type, name, depth);
  expect(wireType, WireType.LengthDelimited, name);
  const end = sectionEnd(reader);
  if (type.kind === "message") {
    const value = {};
    readMessage(reader, end, type, value, depth + 1);
    return value;
  }
  if (type.kind === "map") throw new ProtobufError(`Cannot read ${name}: a list or map cannot contain a map`);
  const holder: Record<string, unknown> = { items: [] };
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1)
      readField(reader, wireType, { number, name: "items", presence: "optional", type }, holder, depth + 1);
    else skip(reader, wireType);
  }
  if (reader.pos !== end) throw new ProtobufError("unexpected EOF");
  return holder["items"];
}

function readEntry(
  reader: BinaryReader,
  wireType: WireType,
  { of }: MapType,
  name: string,
  into: Record<string, unknown>,
  depth: number,
): void {
  expect(wireType, WireType.LengthDelimited, name);
  const end = sectionEnd(reader);
  const type = resolve(of);
  let key = "";
  let value = zeroOf(type);
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      expect(wireType, WireType.LengthDelimited, name);
      key = reader.string();
    } else if (number === 2) value = readValue(reader, wireType, type, name, depth);
    else skip(reader, wireType);
  }
  if (reader.pos !== end) throw new ProtobufError("unexpected EOF");
  setOwn(into, key, value);
}

/** The end of the length-delimited value that starts here. */
function sectionEnd(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new ProtobufError("unexpected EOF");
  return end;
}

function isNumeric({ name }: ScalarType): boolean {
  return name === "int32" || name === "int64" || name === "boolean" || name === "double";
}

function wireTypeOf(type: ScalarType): WireType {
  if (type.name === "double") return WireType.Bit64;
  return isNumeric(type) ? WireType.Varint : WireType.LengthDelimited;
}

function readScalar(
  reader: BinaryReader,
  wireType: WireType,
  type: ScalarType,
  name: string,
  depth: number,
): unknown {
  expect(wireType, wireTypeOf(type), name);
  switch (type.name) {
    case "string":
      return reader.string();
    case "boolean":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return Number(reader.int64());
    case "double":
      return reader.double();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    default: {
      const end = sectionEnd(reader);
      if (type.union !== undefined) return readUnion(reader, end, type.union, depth);
      const value = specialForms[type.name]?.read(reader, end);
      if (reader.pos !== end) throw new ProtobufError("unexpected EOF");
      return value;
    }
  }
}

function readUnion(reader: BinaryReader, end: number, { message, join }: UnionForm, depth: number): unknown {
  const fields: Record<string, unknown> = {};
  readMessage(reader, end, message(), fields, depth + 1);
  return join(fields);
}

/** The value of a map entry without a value. */
function zeroOf(type: Resolved): unknown {
  switch (type.kind) {
    case "list":
      return [];
    case "message":
    case "map":
      return {};
    case "scalar":
      if (type.name === "boolean") return false;
      if (type.name === "quantity") return "0";
      return isNumeric(type) || type.name === "intOrString" ? 0 : "";
  }
}
