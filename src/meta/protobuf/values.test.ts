import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { maxValues, TooManyValuesError } from "../json.ts";
import * as s from "../schema.ts";
import { decodeEnvelope, encodeMessage } from "./envelope.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** Values at the edges of their types, as they are on the wire. */

const message = s.messages("io.knarr.test.v1");
interface Tree {
  readonly child?: Tree;
}
const Tree: s.MessageType<Tree> = message("Tree", "", {
  child: s.pointer(
    1,
    s.lazy<Tree>(() => Tree),
    "",
  ),
});
const double: s.ScalarType<number> = { kind: "scalar", name: "double" };
const Leaf = message("Leaf", "", { name: s.optional(1, s.string, "") });
const Values = message("Values", "", {
  on: s.optional(1, s.map(s.boolean), ""),
  sizes: s.optional(2, s.map(s.int32), ""),
  amounts: s.optional(3, s.map(s.quantity), ""),
  either: s.optional(4, s.map(s.intOrString), ""),
  leaves: s.optional(5, s.map(Leaf), ""),
  names: s.optional(6, s.map(s.string), ""),
  lists: s.optional(7, s.map(s.list(s.int32)), ""),
  shares: s.optional(8, s.list(double), ""),
  time: s.pointer(9, s.time, ""),
  micro: s.pointer(10, s.microTime, ""),
  amount: s.pointer(11, s.quantity, ""),
  port: s.pointer(12, s.intOrString, ""),
  owned: s.pointer(13, s.fieldsV1, ""),
  tree: s.pointer(14, Tree, ""),
  count: s.pointer(15, s.int32, ""),
  items: s.optional(16, s.list(Leaf), ""),
  numbers: s.optional(17, s.list(s.int32), ""),
});

const bytes = (write: (writer: BinaryWriter) => void) => {
  const writer = new BinaryWriter();
  write(writer);
  return Buffer.from(writer.finish());
};
/** A field with a length: a text, or other fields. */
const field = (number: number, ...parts: readonly (string | Uint8Array)[]) =>
  bytes((to) =>
    to.tag(number, WireType.LengthDelimited).bytes(Buffer.concat(parts.map((one) => Buffer.from(one)))),
  );
const int = (number: number, value: number | bigint) =>
  bytes((to) => to.tag(number, WireType.Varint).int64(value));
const doubleOf = (value: number) => Buffer.from(new Float64Array([value]).buffer);
/** A field that says that it is longer than it is. */
const cut = (number: number, part: Uint8Array) =>
  Buffer.concat([bytes((to) => to.tag(number, WireType.LengthDelimited).uint32(part.length + 1)), part]);

const read = (...parts: readonly Uint8Array[]) =>
  decodeEnvelope(Buffer.concat([Buffer.from("k8s\0"), field(2, ...parts)]), Values);

test.each<[what: string, part: Buffer, value: object]>([
  ["an entry without a value: boolean", field(1, field(1, "a")), { on: { a: false } }],
  ["an entry without a value: number", field(2, field(1, "a")), { sizes: { a: 0 } }],
  ["an entry without a value: quantity", field(3, field(1, "a")), { amounts: { a: "0" } }],
  ["an entry without a value: number or text", field(4, field(1, "a")), { either: { a: 0 } }],
  ["an entry without a value: message", field(5, field(1, "a")), { leaves: { a: {} } }],
  ["an entry without a value: text", field(6, field(1, "a")), { names: { a: "" } }],
  ["an entry without a value: list", field(7, field(1, "a")), { lists: { a: [] } }],
  ["an entry without a key", field(1, int(2, 1)), { on: { "": true } }],
  ["an entry with more fields", field(1, field(1, "a"), int(3, 0), int(2, 1)), { on: { a: true } }],
  [
    "a list in a map",
    field(7, field(1, "a"), field(2, int(1, 5), int(2, 9), int(1, 6))),
    { lists: { a: [5, 6] } },
  ],
  ["numbers beside each other", field(17, Buffer.from([5, 6])), { numbers: [5, 6] }],
  ["numbers with a tag each", Buffer.concat([int(17, 5), int(17, 6)]), { numbers: [5, 6] }],
  ["doubles beside each other", field(8, Buffer.alloc(8), doubleOf(2)), { shares: [0, 2] }],
  ["doubles with a tag each", Buffer.concat([Buffer.from([0x41]), doubleOf(0.5)]), { shares: [0.5] }],
  [
    "messages in a list",
    Buffer.concat([field(16, field(1, "a")), field(16)]),
    { items: [{ name: "a" }, {}] },
  ],
  ["a large number", int(15, 2 ** 31 - 1), { count: 2 ** 31 - 1 }],
  ["Go's zero time", field(9), {}],
  ["a time", field(9, int(1, 1), int(2, 999_999_999)), { time: "1970-01-01T00:00:01Z" }],
  ["the first time", field(9, int(1, -62_167_219_200n)), { time: "0000-01-01T00:00:00Z" }],
  ["the last time", field(9, int(1, 253_402_300_799n)), { time: "9999-12-31T23:59:59Z" }],
  ["the last microsecond", field(10, int(2, 999_999_999)), { micro: "1970-01-01T00:00:00.999999Z" }],
  ["a time with more fields", field(9, int(1, 1), int(7, 1)), { time: "1970-01-01T00:00:01Z" }],
  ["no quantity", field(11), { amount: "0" }],
  ["a quantity", field(11, field(1, "5Gi")), { amount: "5Gi" }],
  ["no number or text", field(12), { port: 0 }],
  ["a number or text: number", field(12, int(1, 0), int(2, -1), field(3, "x")), { port: -1 }],
  ["a number or text: text", field(12, int(1, 1), int(2, 5), field(3, "http")), { port: "http" }],
  ["a number or text: no text", field(12, int(1, 1)), { port: "" }],
  ["no owned fields", field(13), {}],
  ["owned fields of no bytes", field(13, field(1)), {}],
  ["owned fields", field(13, field(1, '{"f:a":{}}')), { owned: { "f:a": {} } }],
])("%s is read", (_, part, value) => {
  expect(read(part)).toEqual(value);
});

const group = Buffer.from([0xa3, 0x01, 0xa4, 0x01]);

test.each<[what: string, part: Buffer, problem: string]>([
  ["a number in place of an entry", int(1, 1), "wrong wireType"],
  ["a number in place of a key", field(1, int(1, 1)), "wrong wireType"],
  ["a text in place of a boolean", field(1, field(2, "a")), "wrong wireType"],
  ["a number in place of a message", int(14, 1), "wrong wireType"],
  ["a number in place of an item", int(16, 1), "wrong wireType"],
  ["a text in place of a number", field(15, "a"), "wrong wireType"],
  ["a number in place of a quantity's text", field(11, int(1, 1)), "wrong wireType"],
  ["a text in place of seconds", field(9, field(1, "a")), "wrong wireType"],
  ["a number in place of JSON", field(13, int(1, 1)), "wrong wireType"],
  ["a group in a message", group, "groups are not supported"],
  ["a group in a time", field(9, Buffer.from([0x3b, 0x3c])), "groups are not supported"],
  ["the end of a group", field(9, Buffer.from([0x3c])), "groups are not supported"],
  ["an entry that ends late", cut(1, field(1, "a")), "unexpected EOF"],
  ["a key that ends after its entry", field(1, cut(1, Buffer.from("a"))), "unexpected EOF"],
  ["a message that ends late", cut(14, field(1)), "unexpected EOF"],
  ["a number that ends after its message", field(14, Buffer.from([0x10])), "unexpected EOF"],
  [
    "numbers that end after their list",
    Buffer.concat([field(17, Buffer.from([0x80])), Buffer.from([0x01])]),
    "unexpected EOF",
  ],
  ["an item that ends after its list", field(7, field(2, Buffer.from([0x08]))), "unexpected EOF"],
  ["a quantity that ends late", field(11, cut(1, Buffer.from("5"))), "unexpected EOF"],
  ["a time before the year 0", field(9, int(1, -62_167_219_201n)), "out of range"],
  ["a time after the year 9999", field(9, int(1, 253_402_300_800n)), "out of range"],
  ["a second of nanoseconds", field(10, int(2, 1_000_000_000)), "out of range"],
  ["negative nanoseconds", field(10, int(2, -1000)), "out of range"],
  ["JSON that does not parse", field(13, field(1, "{")), "Cannot read embedded JSON"],
])("%s is refused", (_, part, problem) => {
  // Fields follow, so that nothing ends at the end of the bytes.
  const act = () => read(part, int(15, 1), int(15, 1));
  expect(act).toThrow(ProtobufError);
  if (problem !== "unexpected EOF") expect(act).toThrow(problem);
});

test("messages nest a hundred levels, and no more", () => {
  const nested = (levels: number): Buffer => {
    let inner = Buffer.alloc(0);
    for (let i = 1; i < levels; i++) inner = field(1, inner);
    return field(14, inner);
  };
  expect(() => read(nested(100))).not.toThrow();
  expect(() => read(nested(101))).toThrow("it nests too deep");
});

test("a message has as many fields as JSON has values", () => {
  const many = (count: number) => Buffer.concat(Array.from({ length: count }, () => int(15, 1)));
  expect(() => read(many(maxValues))).not.toThrow();
  expect(() => read(many(maxValues + 1))).toThrow(TooManyValuesError);
});

test("an envelope may have more fields, and no kind; other types of its fields are refused", () => {
  const open = (...parts: readonly Uint8Array[]) =>
    decodeEnvelope(Buffer.concat([Buffer.from("k8s\0"), ...parts]), Values);
  expect(open(field(3, "gzip"), field(2, int(15, 1)), int(9, 1))).toEqual({ count: 1 });
  expect(() => open(int(1, 1))).toThrow("proto: wrong wireType = 0 for field typeMeta");
  expect(() => open(int(2, 1))).toThrow("proto: wrong wireType = 0 for field raw");
});

describe("a message is written", () => {
  test("by the numbers of its fields, without fields that protobuf does not have", () => {
    const Mixed = message("Mixed", "", {
      last: s.optional(3, s.int32, ""),
      none: s.optional(0, s.string, ""),
      first: s.optional(1, Leaf, ""),
    });
    const absent = Buffer.concat([field(1, field(1)), int(3, 0)]);
    expect(Buffer.from(encodeMessage({}, Mixed))).toEqual(absent);
    expect(Buffer.from(encodeMessage({ none: "x", last: 5, first: { name: "a" } }, Mixed))).toEqual(
      Buffer.concat([field(1, field(1, "a")), int(3, 5)]),
    );
  });

  test("with a key alone for nil bytes, and with empty values for others", () => {
    const Maps = message("Maps", "", {
      data: s.optional(1, s.map(s.bytes), ""),
      names: s.optional(2, s.map(s.string), ""),
    });
    expect(Buffer.from(encodeMessage({ data: { a: null }, names: { a: null } }, Maps))).toEqual(
      Buffer.concat([field(1, field(1, "a")), field(2, field(1, "a"), field(2))]),
    );
  });

  test("never with a map in a list", () => {
    const Bad = message("Bad", "", { maps: s.optional(1, s.list(s.map(s.string)), "") });
    expect(() => encodeMessage({ maps: [{}] }, Bad)).toThrow("protobuf cannot represent it");
    const bad = Buffer.concat([Buffer.from("k8s\0"), field(2, field(1))]);
    expect(() => decodeEnvelope(bad, Bad)).toThrow("a list or map cannot contain a map");
  });

  test("with six digits of a second, however many are given", () => {
    const micro = (text: string) => Buffer.from(encodeMessage({ micro: text }, Values));
    const at = (nanos: number) => field(10, int(1, 0), int(2, nanos));
    expect(micro("1970-01-01T00:00:00Z")).toEqual(at(0));
    expect(micro("1970-01-01T00:00:00.5Z")).toEqual(at(500_000_000));
    expect(micro("1970-01-01T00:00:00.1234567Z")).toEqual(at(123_456_000));
  });
});
