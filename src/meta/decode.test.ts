import { describe, expect, it } from "vitest";
import { decode, DecodeError } from "./decode.ts";
import {
  boolean,
  bytes,
  type DecodeReport,
  inline,
  int32,
  intOrString,
  keyed,
  list,
  map,
  messages,
  microTime,
  oneOf,
  optional,
  pointer,
  quantity,
  rawExtension,
  required,
  string,
  time,
} from "./schema.ts";

const message = messages("test.v1");
const Port = message("Port", "", {
  name: optional(1, string, ""),
  port: required(2, int32, ""),
  protocol: optional(3, oneOf("TCP", "UDP"), "", { default: "TCP" }),
});
const Part = message("Part", "", { size: optional(1, int32, "") }, { typed: true });
const Source = message("Source", "", { path: pointer(1, string, "") });
const Widget = message("Widget", "", {
  replicas: pointer(1, int32, "", { default: 1 }),
  paused: optional(2, boolean, ""),
  ports: required(3, keyed(Port, "port"), ""),
  labels: optional(4, map(string), ""),
  source: inline(5, Source, ""),
  inner: optional(6, Source, ""),
  limit: optional(7, quantity, ""),
  target: optional(8, intOrString, ""),
  at: optional(9, time, ""),
  micro: pointer(10, microTime, ""),
  data: optional(11, map(bytes), ""),
  raw: optional(12, rawExtension, ""),
  names: optional(13, list(string), ""),
});

const report = (): DecodeReport => ({ unknown: [], keys: 0 });

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

  it("gives equal objects equal JSON whatever the order of keys", () => {
    const one = decode(Widget, { labels: { b: "1", a: "2" }, path: "x", replicas: 2 });
    const other = decode(Widget, { replicas: 2, path: "x", labels: { a: "2", b: "1" } });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it("prunes unknown fields and reports their paths and all keys", () => {
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

  it("reports unknown fields in the order of the text", () => {
    const seen = report();
    decode(Widget, { bar: 1, inner: { x: 1 }, foo: 1, ports: [{ b: 1 }, { a: 1 }], inn: 1 }, seen);
    expect(seen.unknown).toEqual(["bar", "inner.x", "foo", "ports[0].b", "ports[1].a", "inn"]);
  });

  it("keeps apiVersion and kind of an embedded object", () => {
    const seen = report();
    const Whole = message("Whole", "", { part: optional(1, Part, ""), port: optional(2, Port, "") });
    const typeMeta = { apiVersion: "v1", kind: "Part" };
    decode(Whole, { part: { ...typeMeta, size: 1 }, port: { ...typeMeta, port: 1 } }, seen);
    expect(seen).toEqual({ unknown: ["port.apiVersion", "port.kind"], keys: 8 });
  });

  it.each([
    [{ replicas: "2" }, "json: cannot unmarshal string into Go struct field Widget.replicas of type int32"],
    [
      { replicas: 1.5 },
      "json: cannot unmarshal number 1.5 into Go struct field Widget.replicas of type int32",
    ],
    [
      { replicas: 2 ** 31 },
      "json: cannot unmarshal number 2147483648 into Go struct field Widget.replicas of type int32",
    ],
    [{ ports: {} }, "json: cannot unmarshal object into Go struct field Widget.ports of type []v1.Port"],
    [
      { ports: [{ port: true }] },
      "json: cannot unmarshal bool into Go struct field Port.ports.port of type int32",
    ],
    [{ labels: { a: 1 } }, "json: cannot unmarshal number into Go struct field Widget.labels of type string"],
    [{ data: { a: "%" } }, "illegal base64 data at input byte 0"],
  ])("refuses %j", (value, message) => {
    expect(() => decode(Widget, value)).toThrow(new DecodeError(message));
  });

  it("writes quantities and times in their canonical form", () => {
    expect(
      decode(Widget, { limit: 0.5, at: "2024-05-01T12:00:00.9+02:00", micro: "2024-05-01T12:00:00.12Z" }),
    ).toMatchObject({ limit: "500m", at: "2024-05-01T10:00:00Z", micro: "2024-05-01T12:00:00.120000Z" });
  });

  it("does not reach a prototype through a map's key", () => {
    const decoded = decode(Widget, { labels: JSON.parse('{"__proto__":"x"}') as unknown });
    expect(JSON.stringify(decoded["labels"])).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(decoded["labels"])).toBe(Object.prototype);
  });
});
