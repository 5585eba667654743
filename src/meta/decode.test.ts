import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { countKeys, decode, DecodeError, mostUnknown, objectOf, setOwn, zeroScalar } from "./decode.ts";
import { defineKind } from "./kind.ts";
import { quantityShape } from "./quantity.ts";
import {
  amount,
  boolean,
  bytes,
  type DecodeReport,
  duration,
  type Field,
  inline,
  int32,
  int64,
  intOrString,
  json,
  keyed,
  lazy,
  list,
  map,
  messages,
  type MessageType,
  microTime,
  oneOf,
  optional,
  pointer,
  quantity,
  rawExtension,
  required,
  type ScalarType,
  string,
  time,
  type Type,
  union,
} from "./schema.ts";
import { ObjectMeta } from "./v1.ts";

const message = messages("test.v1");
const double: ScalarType<number> = { kind: "scalar", name: "double" };

function widget() {
  const Port = message("Port", "", {
    name: optional(1, string, ""),
    port: required(2, int32, ""),
    protocol: optional(3, oneOf("TCP", "UDP"), "", { default: "TCP" }),
  });
  const Source = message("Source", "", { path: pointer(1, string, "") });
  return message("Widget", "", {
    replicas: pointer(1, int32, "", { default: 1 }),
    paused: optional(2, boolean, ""),
    ports: required(3, keyed(Port, "port"), ""),
    labels: optional(4, map({ ...string }), ""),
    source: inline(5, Source, ""),
    inner: optional(6, Source, ""),
    limit: optional(7, quantity, ""),
    target: optional(8, intOrString, ""),
    at: optional(9, time, ""),
    micro: pointer(10, microTime, ""),
    data: optional(11, map(bytes), ""),
    raw: optional(12, rawExtension, ""),
    names: optional(13, list(string), ""),
    byName: optional(14, map(Port), ""),
  });
}

/** A schema of its own for each test: the decoder of a type is made once. */
let Widget = widget();
beforeEach(() => {
  Widget = widget();
});

const report = (): DecodeReport => ({ unknown: [], keys: 0 });

function unknownOf(value: unknown): readonly string[] {
  const seen = report();
  decode(Widget, value, seen);
  return seen.unknown;
}

/** Decodes an object with one field, by types of its own. */
function decodeOne(type: Type, value: unknown, field: (number: number, type: Type, doc: string) => Field) {
  const Holder = message("Holder", "", { value: field(1, { ...type }, "") });
  return Object(decode(Holder, { value })) as { readonly value?: unknown };
}

const inPointer = (type: Type, value: unknown) => decodeOne(type, value, pointer).value;

describe("decode", () => {
  it("fills required zeros, drops optional ones, keeps pointers, and sets defaults", () => {
    expect(decode(Widget, { paused: false, labels: {}, names: [] })).toEqual({
      replicas: 1,
      ports: [],
      inner: {},
    });
    expect(decode(Widget, { replicas: 0, path: "", ports: [{ name: "" }] })).toEqual({
      replicas: 0,
      ports: [{ port: 0, protocol: "TCP" }],
      path: "",
      inner: {},
    });
  });

  it("calls a function for each default, so that objects share none", () => {
    const Defaulted = message("Defaulted", "", {
      list: optional(1, list(string), "", { default: () => ["a"] }),
    });
    const [one, other] = [decode(Defaulted, {}), decode(Defaulted, { list: [] })];
    expect([one, other]).toEqual([{ list: ["a"] }, { list: ["a"] }]);
    expect(one["list"]).not.toBe(other["list"]);
  });

  it("keeps an empty number-or-string field, whose default is a number", () => {
    const Target = message("Target", "", { port: required(1, intOrString, "", { default: 0 }) });
    expect(decode(Target, { port: "" })).toEqual({ port: 0 });
    expect(decode(message("Target", "", { port: required(1, intOrString, "") }), { port: "" })).toEqual({
      port: "",
    });
  });

  it("reads null as an absent field", () => {
    const nulls = Object.fromEntries([...Widget.fields.keys()].map((name) => [name, null]));
    expect(decode(Widget, nulls)).toEqual(decode(Widget, {}));
  });

  it("gives equal objects equal JSON whatever the order of keys", () => {
    const one = decode(Widget, { labels: { b: "1", a: "2" }, path: "x", replicas: 2 });
    const other = decode(Widget, { replicas: 2, path: "x", labels: { a: "2", b: "1" } });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it("decodes a mostly empty object of many fields as it decodes a full one", () => {
    const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const presences = [optional, optional, pointer, optional, optional];
    const Part = message("Part", "", { a: optional(1, string, "") });
    const kinds = {
      filled: required(41, int32, ""),
      defaulted: optional(42, string, "", { default: "x" }),
      part: optional(43, Part, ""),
      noPart: pointer(44, Part, ""),
    };
    const rest = names.map(
      (name, at) => [name, (presences[at % 5] ?? optional)(at + 1, string, "")] as const,
    );
    const Large = message("Large", "", { ...Object.fromEntries(rest), ...kinds });
    const subset = fc.shuffledSubarray([...names, "foo", "bar"], { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(subset, { minLength: 1, maxLength: 4 }), (values) => {
        for (const keys of values) {
          const seen = report();
          const decoded = decode(Large, Object.fromEntries(keys.map((key) => [key, key])), seen);
          const shown = names.filter((name) => keys.includes(name)).map((name) => [name, name]);
          expect(Object.entries(decoded)).toEqual([
            ...shown,
            ["filled", 0],
            ["defaulted", "x"],
            ["part", {}],
          ]);
          expect(seen.unknown).toEqual(keys.filter((key) => !key.startsWith("f") || key === "foo"));
        }
      }),
    );
  });

  it("leaves the decoding of foreign schemas to them", () => {
    const foreign = { decode: (value: unknown) => ({ foreign: value }), openApi: undefined };
    expect(decode({ ...Widget, foreign }, 1)).toEqual({ foreign: 1 });
  });

  it("does not reach a prototype through a map's key", () => {
    const decoded = decode(Widget, { labels: JSON.parse('{"__proto__":"x"}') as unknown });
    expect(JSON.stringify(decoded["labels"])).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(decoded["labels"])).toBe(Object.prototype);
  });

  it.each(["a", "__proto__", "constructor"])("sets %s as a property like any other", (key) => {
    const target: Record<string, unknown> = {};
    setOwn(target, key, 1);
    const whole = { value: 1, enumerable: true, configurable: true, writable: true };
    expect(Object.getOwnPropertyDescriptors(target)).toEqual(Object.fromEntries([[key, whole]]));
  });

  it("gives an object the apiVersion and kind of its kind", () => {
    const schema = message("Widget", "", {
      metadata: optional(1, ObjectMeta, ""),
      size: optional(2, int32, ""),
    });
    const info = { group: "test", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
    const widgets = defineKind(schema, info);
    expect(objectOf(widgets, { kind: "Gadget", size: 2 })).toEqual({
      apiVersion: "test/v1",
      kind: "Widget",
      metadata: {},
      size: 2,
    });
  });
});

describe("unknown fields", () => {
  it("are pruned, and reported with their paths and all keys", () => {
    const seen = report();
    const value = {
      apiVersion: "v1",
      kind: "Widget",
      ports: [{ port: 1, foo: { a: 1 } }],
      bar: 1,
      raw: { x: { y: 1 } },
    };
    expect(decode(Widget, value, seen)).not.toHaveProperty("bar");
    expect(seen).toEqual({ unknown: ["ports[0].foo", "bar"], keys: 10 });
  });

  it("are reported in the order of the text", () => {
    const value = { bar: 1, inner: { x: 1 }, foo: 1, ports: [{ b: 1 }, { a: 1 }], inn: 1 };
    expect(unknownOf(value)).toEqual(["bar", "inner.x", "foo", "ports[0].b", "ports[1].a", "inn"]);
  });

  it.each([
    [{ Paused: true, REPLICAS: 1 }, ["Paused", "REPLICAS"]],
    [{ byName: { b: { x: 1 }, a: { y: 1 } } }, ["byName.a.y", "byName.b.x"]],
    [{ foo: undefined, paused: undefined }, ["foo"]],
    [{ ports: [{ apiVersion: "v1" }] }, ["ports[0].apiVersion"]],
    [{ raw: { foo: 1 }, labels: { foo: "1" } }, []],
  ])("of %j are %j", (value, expected) => {
    expect(unknownOf(value)).toEqual(expected);
  });

  it("may be the apiVersion and kind of an embedded object", () => {
    const Part = message("Part", "", { size: optional(1, int32, "") }, { typed: true });
    const Plain = message("Plain", "", { size: optional(1, int32, "") });
    const Whole = message("Whole", "", { part: optional(1, Part, ""), plain: optional(2, Plain, "") });
    const seen = report();
    const typeMeta = { apiVersion: "v1", kind: "Part" };
    decode(Whole, { part: { ...typeMeta, size: 1 }, plain: { ...typeMeta, size: 1 } }, seen);
    expect(seen).toEqual({ unknown: ["plain.apiVersion", "plain.kind"], keys: 8 });
  });

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]));
  it.each([
    ["of one object", keys(mostUnknown + 5)],
    ["of one item", { ports: [keys(mostUnknown + 5)] }],
    ["of many items", { ports: Array.from({ length: mostUnknown + 5 }, () => ({ x: 1 })) }],
    ["of the items after too many", { ports: [keys(mostUnknown), { y: 1 }, { z: 1 }] }],
    ["of the item that reaches the limit", { ports: [keys(mostUnknown - 1), { y: 1 }, { z: 1 }] }],
    ["of the values of a map", { byName: { a: keys(mostUnknown - 1), b: keys(1), c: keys(1) } }],
    ["of a field and the next one", { ports: [keys(mostUnknown)], inner: { y: 1 } }],
  ])("are reported up to the limit: %s", (_, value) => {
    expect(unknownOf(value)).toHaveLength(mostUnknown);
  });

  it("are reported in the order of the text, even when a field that is decoded earlier has too many", () => {
    const value = { inner: { y: 1 }, ports: [keys(mostUnknown), keys(1)] };
    expect(unknownOf(value).slice(0, 2)).toEqual(["inner.y", "ports[0].x0"]);
  });

  it("count with all keys inside", () => {
    const nested = { a: [{ b: 1 }, [null, { c: { d: null } }], "text"], e: undefined };
    expect(countKeys(nested)).toBe(5);
    expect([1, "text", null, undefined, []].map(countKeys)).toEqual([0, 0, 0, 0, 0]);
    const seen = report();
    decode(Widget, { labels: { a: "1", b: "2" }, foo: nested, raw: nested }, seen);
    expect(seen.keys).toBe(3 + 2 + 5 + 5);
  });
});

/** Values with their canonical form, in a pointer field, which shows zero values. */
const values: readonly [string, Type, unknown, unknown][] = [
  ["a string", string, "", ""],
  ["a boolean", boolean, false, false],
  ["the greatest int32", int32, 2 ** 31 - 1, 2 ** 31 - 1],
  ["the least int32", int32, -(2 ** 31), -(2 ** 31)],
  ["a negative zero", int32, -0, 0],
  ["the greatest int64, as JSON has it", int64, 2 ** 63, 2 ** 63],
  ["the least int64", int64, -(2 ** 63), -(2 ** 63)],
  ["a double", double, -1.5, -1.5],
  ["a port's number", intOrString, 80, 80],
  ["a port's name", intOrString, "", ""],
  ["a quantity", quantity, "0.5", "500m"],
  ["a quantity that is a number", quantity, 0.5, "500m"],
  ["a quantity between blanks", quantity, " 1 ", "1"],
  ["a quantity with nanounits", quantity, "1n", "1n"],
  ["an amount, in thousandths", amount, "1n", "1m"],
  ["a duration", duration, "90s", "1m30s"],
  ["a time with a fraction and an offset", time, "2024-05-01T12:00:00.9+02:00", "2024-05-01T10:00:00Z"],
  ["Go's zero time", time, "0001-01-01T00:00:00Z", undefined],
  ["a time with microseconds", microTime, "2024-05-01T12:00:00.120000+02:00", "2024-05-01T10:00:00.120000Z"],
  ["raw JSON", rawExtension, { b: 1, a: null }, { b: 1, a: null }],
  ["any JSON", json, [1, null], [1, null]],
  ["bytes", bytes, "aGk=", "aGk="],
  ["bytes without padding", bytes, "aGkx", "aGkx"],
  ["no bytes", bytes, "", ""],
  ["only a line break", bytes, "\n", ""],
  ["bytes on several lines", bytes, "aGkx\r\naG\nk\r=\n", "aGkxaGk="],
  ["one byte on several lines", bytes, "aG\n=\n=", "aA=="],
  ["bits that are no part of the last byte", bytes, "aGkxaGl=", "aGkxaGk="],
  ["bits that are no part of the only byte", bytes, "aR==", "aQ=="],
  ["null in a list of strings", list(string), [null, "a"], ["", "a"]],
  ["null in a list of lists", list(list(string)), [null], [[]]],
  ["null in a list of maps", list(map(string)), [null], [{}]],
  ["null in a list of JSON", list({ ...json }), [null, 1], [null, 1]],
  ["null in a map of booleans", map(boolean), { b: null, a: true }, { a: true, b: false }],
  ["null in a map of quantities", map(quantity), { a: null }, { a: "0" }],
  ["null in a map of bytes", map(bytes), { a: null }, { a: "" }],
  ["an absent value of a map", map(string), { a: undefined, b: "1" }, { b: "1" }],
];

it.each(values)("%s is decoded", (_, type, value, expected) => {
  expect(inPointer(type, value)).toStrictEqual(expected);
});

it("null in a list or a map of objects is an object without values", () => {
  const zero = { port: 0, protocol: "TCP" };
  const { ports, byName } = decode(Widget, { ports: [null], byName: { a: null } });
  expect({ ports, byName }).toEqual({ ports: [zero], byName: { a: zero } });
});

it("keys of maps are sorted", () => {
  expect(Object.keys(Object(inPointer(map(string), { b: "", a: "", "0a": "" })))).toEqual(["0a", "a", "b"]);
});

it.each([
  [string, "", ""],
  [bytes, "", ""],
  [boolean, false, false],
  [int32, 0, 0],
  [int64, 0, 0],
  [double, 0, 0],
  [intOrString, 0, 0],
  [quantity, "0", "0"],
  [duration, "0s", "0s"],
  [time, undefined, "0001-01-01T00:00:00Z"],
  [microTime, undefined, "0001-01-01T00:00:00.000000Z"],
  [rawExtension, undefined, undefined],
])("$name is $1 when it is required and absent, and absent when it is optional", (type, zero, written) => {
  expect(zeroScalar(type)).toBe(zero);
  expect(decodeOne(type, undefined, required).value).toBe(zero);
  expect(decodeOne(type, undefined, optional).value).toBe(undefined);
  expect(decodeOne(type, written, required).value).toBe(zero);
});

it("no other type has a zero value on the wire", () => {
  expect([list(string), map(string), Widget].map(zeroScalar)).toEqual([undefined, undefined, undefined]);
});

it("a message may contain itself", () => {
  const Node: MessageType = message("Node", "", {
    name: optional(1, string, ""),
    next: pointer(
      2,
      lazy(() => Node),
      "",
    ),
    all: optional(3, list(lazy(() => Node)), ""),
  });
  const value = { name: "a", next: { name: "b", all: [{ name: "c" }] } };
  expect(decode(Node, { ...value, all: [null] })).toEqual({ ...value, all: [{}] });
  expect(() => decode(Node, { next: { next: 1 } })).toThrow(
    "json: cannot unmarshal number into Go struct field Node.next.next of type v1.Node",
  );
  expect(() => decode(Node, { all: {} })).toThrow("Node.all of type []v1.Node");
});

describe("a union", () => {
  const flag = () =>
    union<boolean | string>({
      message: () => message("Flag", "", { flag: pointer(1, boolean, ""), at: pointer(2, time, "") }),
      split: (value) => (typeof value === "string" ? { at: value } : { flag: value, other: 1 }),
      join: ({ flag, at }) => flag ?? at,
    });

  it("decodes the fields for a value", () => {
    expect(inPointer(flag(), false)).toBe(false);
    expect(inPointer(flag(), "2024-05-01T12:00:00+02:00")).toBe("2024-05-01T10:00:00Z");
  });

  it("has errors without the path, and reports only keys", () => {
    expect(() => inPointer(flag(), 1)).toThrow("json: cannot unmarshal number into Go value of type bool");
    const seen = report();
    decode(message("Holder", "", { any: pointer(1, union({ ...formOfAny }), "") }), { any: { a: 1 } }, seen);
    expect(seen).toEqual({ unknown: [], keys: 2 });
  });

  const formOfAny = {
    message: () => message("Any", "", { json: pointer(1, json, "") }),
    split: (value: unknown) => ({ json: value }),
    join: (fields: Readonly<Record<string, unknown>>) => fields["json"],
  };
});

/** Values of a Widget that do not fit, with the messages of Go's decoder. */
const mismatches: readonly [unknown, string][] = [
  [{ replicas: "2" }, "string into Go struct field Widget.replicas of type int32"],
  [{ replicas: true }, "bool into Go struct field Widget.replicas of type int32"],
  [{ replicas: 1.5 }, "number 1.5 into Go struct field Widget.replicas of type int32"],
  [{ replicas: 2 ** 31 }, "number 2147483648 into Go struct field Widget.replicas of type int32"],
  [{ replicas: -(2 ** 31) - 1 }, "number -2147483649 into Go struct field Widget.replicas of type int32"],
  [{ paused: 1.5 }, "number into Go struct field Widget.paused of type bool"],
  [{ ports: {} }, "object into Go struct field Widget.ports of type []v1.Port"],
  [{ ports: ["a"] }, "string into Go struct field Widget.ports of type v1.Port"],
  [{ ports: [[]] }, "array into Go struct field Widget.ports of type v1.Port"],
  [{ ports: [{ port: true }] }, "bool into Go struct field Port.ports.port of type int32"],
  [{ ports: [{}], names: 1 }, "number into Go struct field Widget.names of type []string"],
  [{ labels: [] }, "array into Go struct field Widget.labels of type map[string]string"],
  [{ labels: { a: 1 } }, "number into Go struct field Widget.labels of type string"],
  [{ labels: { a: "" }, names: [1] }, "number into Go struct field Widget.names of type string"],
  [{ inner: "a" }, "string into Go struct field Widget.inner of type v1.Source"],
  [{ inner: { path: {} } }, "object into Go struct field Source.inner.path of type string"],
  [{ target: 1.5 }, "number 1.5 into Go struct field Widget.target of type int32"],
  [{ target: 2 ** 31 }, "number 2147483648 into Go struct field Widget.target of type int32"],
  [{ target: [] }, "array into Go struct field Widget.target of type int32"],
  [{ at: 5 }, "number into Go struct field Widget.at of type string"],
  [{ micro: {} }, "object into Go struct field Widget.micro of type string"],
  [{ data: [] }, "array into Go struct field Widget.data of type map[string][]uint8"],
  [{ data: { a: true } }, "bool into Go struct field Widget.data of type []uint8"],
  [5, "number into Go value of type v1.Widget"],
  [[], "array into Go value of type v1.Widget"],
];

it.each(mismatches)("%j does not fit", (value, message) => {
  expect(() => decode(Widget, value)).toThrow(new DecodeError(`json: cannot unmarshal ${message}`));
});

it.each([
  [
    int64,
    2 ** 64,
    "json: cannot unmarshal number 18446744073709552000 into Go struct field Holder.value of type int64",
  ],
  [int64, 1.5, "json: cannot unmarshal number 1.5 into Go struct field Holder.value of type int64"],
  [double, "1", "json: cannot unmarshal string into Go struct field Holder.value of type float64"],
  [duration, 1, "json: cannot unmarshal number into Go struct field Holder.value of type string"],
  [duration, "1 day", 'time: invalid duration "1 day"'],
  [
    list(list(boolean)),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type [][]bool",
  ],
  [list(double), 1, "json: cannot unmarshal number into Go struct field Holder.value of type []float64"],
  [
    list(intOrString),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type []intstr.IntOrString",
  ],
  [list(json), 1, "json: cannot unmarshal number into Go struct field Holder.value of type []v1.JSON"],
  [
    list(rawExtension),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type []runtime.RawExtension",
  ],
  [
    list(quantity),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type []resource.Quantity",
  ],
  [
    map(quantity),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type map[string]resource.Quantity",
  ],
  [map(amount), 1, "json: cannot unmarshal number into Go struct field Holder.value of type v1.ResourceList"],
  [
    map(time),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type map[string]v1.Time",
  ],
  [
    map(microTime),
    1,
    "json: cannot unmarshal number into Go struct field Holder.value of type map[string]v1.MicroTime",
  ],
  [quantity, true, quantityShape],
  [quantity, "x", quantityShape],
  [amount, [1], quantityShape],
  [time, "2024-05-01", 'parsing time "2024-05-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
])("%j: %j is refused", (type, value, message) => {
  expect(() => inPointer(type, value)).toThrow(new DecodeError(message));
});

it.each([
  ["%", 0],
  ["a", 0],
  ["aGk", 0],
  ["aG\nk\r", 2],
  ["aGkxaG", 4],
  ["aG k=", 2],
  ["aGk-", 3],
  ["aGkxaGkxé", 8],
  ["=", 0],
  ["a===", 1],
  ["aGkx=GkxaGk", 4],
  ["aG=", 3],
  ["aG=\n", 4],
  ["aG=x", 2],
  ["aG=\nx", 3],
  ["aGk=x", 4],
  ["aGk=\nx", 5],
  ["aG==aGkx", 4],
  ["aG=\n=\nx", 6],
])("%j is not base64 at byte %i", (text, byte) => {
  expect(() => inPointer(bytes, text)).toThrow(new DecodeError(`illegal base64 data at input byte ${byte}`));
});

it("errors of decoding have their name", () => {
  expect(new DecodeError("").name).toBe("DecodeError");
});
