import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { yieldToSockets } from "../../../util/yield.ts";
import type { FieldForm, MessageForm, Scalar } from "./form.ts";
import { isObject } from "../../../util/is-object.ts";

/** The number of paths or definitions written per turn: about two milliseconds. */
const perTurn = 20;

/**
 * Writes a JSON object as the message of a form, and regularly gives other requests a turn: large objects are
 * written in parts, because protobuf merges repeated fields. Keys without a field throw, because they would
 * be lost.
 */
export async function writeGnostic(form: MessageForm, object: object): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const [key, value] of Object.entries(object)) {
    for (const part of isObject(value) ? partsOf(value) : [value]) {
      const writer = new BinaryWriter();
      writeMessage(writer, form, { [key]: part });
      parts.push(writer.finish());
      await yieldToSockets();
    }
  }
  return Buffer.concat(parts);
}

function partsOf(object: object): readonly object[] {
  const entries = Object.entries(object);
  if (entries.length <= perTurn) return [object];
  const starts = Array.from({ length: Math.ceil(entries.length / perTurn) }, (_, index) => index * perTurn);
  return starts.map((start) => Object.fromEntries(entries.slice(start, start + perTurn)));
}

function writeMessage(writer: BinaryWriter, form: MessageForm, object: unknown): void {
  if (!isObject(object)) throw unwritable(object, "object");
  const fields = fieldsOf(form);
  for (const [key, value] of Object.entries(object)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) writeField(writer, field, value);
    else if (form.extensions !== undefined && key.startsWith("x-")) {
      writeNamed(writer, [form.extensions, "any"], key, value);
    } else if (form.others !== undefined) writeNamed(writer, form.others(), key, value);
    else throw new TypeError(`Cannot write ${key}: the message has no such field`);
  }
}

const known = new WeakMap<MessageForm, Readonly<Record<string, FieldForm>>>();

function fieldsOf(form: MessageForm): Readonly<Record<string, FieldForm>> {
  let fields = known.get(form);
  if (fields === undefined) known.set(form, (fields = form.fields()));
  return fields;
}

/** Writes a key and its value as a message of the two. */
function writeNamed(writer: BinaryWriter, [number, form]: FieldForm, key: string, value: unknown): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(key);
  writeField(writer, [2, form], value);
  writer.join();
}

function writeField(writer: BinaryWriter, [number, form]: FieldForm, value: unknown): void {
  if (typeof form === "string") {
    // Absent and zero are equal in proto3.
    if (value !== "" && value !== 0 && value !== false) writeScalar(writer, number, form, value);
  } else if (form.kind === "list") {
    if (!Array.isArray(value)) throw unwritable(value, "list");
    for (const item of value) writeOne(writer, [number, form.of], item);
  } else writeOne(writer, [number, form], value);
}

/** Writes an item of a list, or a chosen field, even when it is zero. */
function writeOne(writer: BinaryWriter, [number, form]: FieldForm, value: unknown): void {
  if (typeof form === "string") {
    writeScalar(writer, number, form, value);
    return;
  }
  if (form.kind === "list") {
    writeField(writer, [number, form], value);
    return;
  }
  writer.tag(number, WireType.LengthDelimited).fork();
  if (form.kind === "message") writeMessage(writer, form, value);
  else {
    const chosen = form.choose(value);
    if (chosen !== undefined) writeOne(writer, chosen, value);
  }
  writer.join();
}

function writeScalar(writer: BinaryWriter, number: number, form: Scalar, value: unknown): void {
  if (form === "any") {
    writer.tag(number, WireType.LengthDelimited).fork();
    writer.tag(2, WireType.LengthDelimited).string(JSON.stringify(value)).join();
  } else if (typeof value !== types[form]) throw unwritable(value, form);
  else if (typeof value === "string") writer.tag(number, WireType.LengthDelimited).string(value);
  else if (typeof value === "boolean") writer.tag(number, WireType.Varint).bool(value);
  else if (form === "double") writer.tag(number, WireType.Bit64).double(Number(value));
  else writer.tag(number, WireType.Varint).int64(BigInt(Number(value)));
}

const types: Readonly<Record<Scalar, string>> = {
  any: "object",
  boolean: "boolean",
  double: "number",
  integer: "number",
  string: "string",
};

function unwritable(value: unknown, form: string): TypeError {
  return new TypeError(`Cannot write ${JSON.stringify(value)}: it is no ${form}`);
}
