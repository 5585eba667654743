import fc from "fast-check";
import { expect, test } from "vitest";
import { maxValues, TooManyValuesError } from "../json.ts";
import * as s from "../schema.ts";
import { decodeEnvelope, encodeEnvelope } from "./envelope.ts";
import { ProtobufError } from "./protobuf-error.ts";

const message = s.messages("io.knarr.test.v1");
const Source = message("Source", "", { path: s.optional(1, s.string, "") });
interface Tree {
  readonly branches?: readonly Tree[];
  readonly name?: string;
}
const Tree: s.MessageType<Tree> = message("Tree", "", {
  branches: s.optional(1, s.list(s.lazy<Tree>(() => Tree)), ""),
  name: s.optional(2, s.string, ""),
});
const Thing = message("Thing", "", {
  text: s.optional(1, s.string, ""),
  count: s.pointer(2, s.int32, ""),
  big: s.optional(3, s.int64, ""),
  flags: s.optional(4, s.map(s.list(s.string)), ""),
  data: s.optional(5, s.map(s.bytes), ""),
  ports: s.optional(6, s.list(s.int32), ""),
  source: s.inline(7, Source, ""),
  when: s.optional(8, s.microTime, ""),
  wait: s.pointer(9, s.duration, ""),
  tree: s.pointer(10, Tree, ""),
  owned: s.pointer(11, s.fieldsV1, ""),
  off: s.optional(0, s.string, ""),
});
const kind = { apiVersion: "test.knarr.io/v1", kind: "Thing", schema: Thing };

function open(raw: string): unknown {
  const bytes = Buffer.from(raw, "hex");
  return decodeEnvelope(Buffer.from([0x6b, 0x38, 0x73, 0, 0x12, bytes.length, ...bytes]), Thing);
}

function roundTrip(object: object): unknown {
  return decodeEnvelope(encodeEnvelope(object, kind), Thing);
}

test("every type of value is equal after writing and reading", () => {
  const object = {
    text: "é",
    count: 0,
    big: Number.MIN_SAFE_INTEGER,
    flags: { a: ["x", ""], __proto__x: [] },
    data: { k: "AP8=" },
    ports: [-1, 80],
    path: "/tmp",
    when: "1969-12-31T23:59:59.000001Z",
    wait: "1h0m1.5s",
    tree: { branches: [{ branches: [{ name: "leaf" }], name: "" }], name: "root" },
  };
  expect(roundTrip(object)).toMatchObject(object);
});

test.for([["0s"], ["15ns"], ["-1.5µs"], ["2.5ms"], ["1m0s"], ["100h0m0.000000001s"]])(
  "the duration %s is written as Go writes it",
  ([wait]) => {
    expect(roundTrip({ wait })).toMatchObject({ wait });
  },
);

test("a zero value is written, a pointer only if it is set", () => {
  expect(roundTrip({})).toEqual({ apiVersion: kind.apiVersion, kind: "Thing", text: "", big: 0, path: "" });
  expect(roundTrip({ count: 0 })).toMatchObject({ count: 0 });
});

test("map entries are written by sorted key", () => {
  const [a, b] = [{ data: { b: "", a: "" } }, { data: { a: "", b: "" } }];
  expect(encodeEnvelope(a, kind)).toEqual(encodeEnvelope(b, kind));
});

test("a key named __proto__ is a key", () => {
  const data = JSON.parse('{"__proto__": "AA=="}') as object;
  const opened = roundTrip({ data }) as { data: object };
  expect(Object.keys(opened.data)).toEqual(["__proto__"]);
});

test("a repeated scalar is overwritten, a message is merged, a list continues", () => {
  expect(open("0a01610a0162")).toEqual({ text: "b" });
  expect(open("30013002")).toEqual({ ports: [1, 2] });
  expect(open("3a030a01613a00")).toEqual({ path: "a" });
});

test("a packed list of numbers is read too", () => {
  expect(open("32020150")).toEqual({ ports: [1, 80] });
});

test("unknown fields are ignored", () => {
  expect(open("78017a036162637d000000007900000000000000000a0178")).toEqual({ text: "x" });
});

test.for([
  ["bytes that end early", "0a05616263"],
  ["a length beyond the end", "0affffffff0f"],
  ["a varint without end", `10${"ff".repeat(11)}`],
  ["another wire type", "0801"],
  ["field number 0", "0001"],
  ["a group", "130314"],
  ["an unknown group", "fb06fc06"],
  ["a message that is longer than its holder", "3a020a05"],
  ["a time out of range", "420b08ffffffffffffffff7f1000"],
])("%s is an error", ([, raw]) => {
  expect(() => open(raw ?? "")).toThrow(ProtobufError);
});

test("the nesting of messages is limited", () => {
  let raw = Buffer.alloc(0);
  for (let depth = 0; depth < 5000; depth++)
    raw = Buffer.concat([Buffer.from([0x0a]), varint(raw.length), raw]);
  const bytes = Buffer.concat([Buffer.from([0x52]), varint(raw.length), raw]);
  const envelope = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0, 0x12]), varint(bytes.length), bytes]);
  expect(() => decodeEnvelope(envelope, Thing)).toThrow("nests too deep");
});

test.each([
  ["messages of no bytes", Buffer.alloc(2 * (maxValues + 1), Buffer.from([0x0a, 0x00])), 0x52],
  ["packed numbers", Buffer.alloc(maxValues + 1, 1), 0x32],
])("the number of %s is limited", (_, inner, tag) => {
  const bytes = Buffer.concat([Buffer.from([tag]), varint(inner.length), inner]);
  const envelope = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0, 0x12]), varint(bytes.length), bytes]);
  expect(() => decodeEnvelope(envelope, Thing)).toThrow(TooManyValuesError);
});

test("JSON in a message counts among its values, and nests no deeper than a body in JSON", () => {
  const fields = (json: string) => {
    const bytes = Buffer.from(json);
    const inner = Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes]);
    return Buffer.concat([Buffer.from([0x5a]), varint(inner.length), inner]);
  };
  const opened = (...jsons: readonly string[]) => {
    const bytes = Buffer.concat(jsons.map(fields));
    return decodeEnvelope(
      Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0, 0x12]), varint(bytes.length), bytes]),
      Thing,
    );
  };
  const list = (items: number) => `[${Array.from({ length: items }, () => 0).join()}]`;
  expect(opened('{"a":[1]}')).toEqual({ owned: { a: [1] } });
  expect(opened("null")).toEqual({});
  expect(() => opened(list(40_000))).not.toThrow();
  expect(() => opened(list(40_000), list(40_000))).toThrow(TooManyValuesError);
  expect(() => opened(list(70_000))).toThrow(TooManyValuesError);
  expect(() => opened(`${"[".repeat(1001)}${"]".repeat(1001)}`)).toThrow(ProtobufError);
  expect(() => opened("{")).toThrow(ProtobufError);
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

test("bytes without the magic prefix are refused", () => {
  expect(() => decodeEnvelope(Buffer.from("{}"), Thing)).toThrow(
    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
  );
  expect(() => decodeEnvelope(Buffer.from("k8s\0"), Thing)).toThrow("empty body");
});

test("any bytes lead to an object or a ProtobufError", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (raw) => {
      const bytes = Buffer.from([0x6b, 0x38, 0x73, 0, 0x12, raw.length, ...raw]);
      try {
        expect(typeof decodeEnvelope(bytes, Thing)).toBe("object");
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    }),
    { numRuns: 20_000 },
  );
});
