import { describe, expect, test } from "vitest";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { pruneConverted, readObject, settleStored } from "./object-form.ts";

const text: JSONSchemaProps = { type: "string" };
const anything: JSONSchemaProps = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: Readonly<Record<string, JSONSchemaProps>>, more: JSONSchemaProps = {}) => ({
  type: "object",
  properties,
  ...more,
});

const read = (properties: Readonly<Record<string, JSONSchemaProps>>, value: object) => {
  const { metadata: _, ...fields } = readObject(structuredClone(value), object(properties));
  return fields;
};

describe("defaults and nulls", () => {
  const withDefault = (value: unknown, more: JSONSchemaProps = {}) => ({
    a: { ...text, default: value, ...more },
  });
  test.each<[string, Readonly<Record<string, JSONSchemaProps>>, object, object]>([
    ["an absent value gets its default", withDefault("d"), {}, { a: "d" }],
    ["a present value stays", withDefault("d"), { a: "" }, { a: "" }],
    ["a null that is no value counts as absent", withDefault("d"), { a: null }, { a: "d" }],
    ["a null that is a value stays", withDefault("d", { nullable: true }), { a: null }, { a: null }],
    ["a null without a default is dropped", { a: text }, { a: null, b: null }, {}],
    [
      "a null of unknown meaning stays",
      { a: { "x-kubernetes-preserve-unknown-fields": true } },
      { a: { b: null } },
      { a: { b: null } },
    ],
    [
      "defaults are set inside defaults",
      { a: object(withDefault("d"), { default: {} }) },
      {},
      { a: { a: "d" } },
    ],
    ["but not inside an absent object", { a: object(withDefault("d")) }, {}, {}],
    [
      "items get defaults",
      { a: { type: "array", items: object(withDefault("d")) } },
      { a: [{}, { a: "x" }] },
      { a: [{ a: "d" }, { a: "x" }] },
    ],
    [
      "entries get defaults",
      { a: { type: "object", additionalProperties: object(withDefault("d")) } },
      { a: { k: {} } },
      { a: { k: { a: "d" } } },
    ],
    [
      "a null entry is dropped when its schema has no default",
      { a: { type: "object", additionalProperties: text } },
      { a: { k: null, l: "x" } },
      { a: { l: "x" } },
    ],
    [
      "names of Object's own members are ordinary names",
      { a: text },
      { constructor: { a: 1 }, a: "x" },
      { a: "x" },
    ],
  ])("%s", (_, properties, value, expected) => {
    expect(read(properties, value)).toEqual(expected);
  });

  test("defaults are copied", () => {
    const schema = {
      a: { ...object({}), default: { b: ["x"] }, "x-kubernetes-preserve-unknown-fields": true },
    };
    const [one, other] = [read(schema, {}), read(schema, {})];
    expect(one).toEqual(other);
    expect(one["a"]).not.toBe(other["a"]);
    expect(one["a"]).not.toBe(schema.a.default);
  });
});

test("unknown fields are reported once, by their path, those in metadata first", () => {
  const schema = object({
    list: { type: "array", items: object({ a: text }) },
    inner: object({ spec: object({}) }, { "x-kubernetes-embedded-resource": true }),
    map: { type: "object", additionalProperties: object({}) },
  });
  const report = { unknown: [], keys: 0 };
  const value = {
    z: 1,
    metadata: { name: "a", wrong: 1 },
    list: [{ a: "x" }, { b: 1 }],
    map: { k: { c: 1 } },
    inner: { apiVersion: "v1", kind: "X", metadata: { labels: { a: "b" }, more: 1 }, spec: { y: 1 } },
  };
  const read = readObject(value, schema, report);
  expect(report.unknown).toEqual([
    "metadata.wrong",
    "inner.spec.y",
    "list[1].b",
    "map.k.c",
    "z",
    "inner.metadata.more",
  ]);
  expect(read).toEqual({
    metadata: { name: "a" },
    list: [{ a: "x" }, {}],
    map: { k: {} },
    inner: { apiVersion: "v1", kind: "X", metadata: { labels: { a: "b" } }, spec: {} },
  });
});

test("values of the wrong type are left to validation", () => {
  expect(read({ a: text, b: object({ c: text }) }, { a: 5, b: "x" })).toEqual({ a: 5, b: "x" });
});

test("objects nest a thousand levels deep and no deeper", () => {
  const nested = (depth: number) => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = { a: value };
    return { spec: value };
  };
  expect(readObject(nested(1000), anything)).toHaveProperty("spec");
  expect(() => readObject(nested(1001), anything)).toThrow("exceeded max depth");
});

test.each([[[]], ["x"], [5], [null], [true]])("%j is not an object", (value) => {
  expect(() => readObject(value, object({}))).toThrow(/^json: cannot unmarshal/);
});

describe("a stored object", () => {
  const stored = { apiVersion: "example.com/v1", kind: "A", metadata: { name: "a" }, spec: { a: "x" } };

  test("is returned unchanged when its schema has nothing to add or drop", () => {
    expect(settleStored(stored, object({ spec: object({ a: text }) }))).toBe(stored);
    expect(settleStored(stored, anything)).toBe(stored);
  });

  test("is shown in the form of its present schema, and stays stored unchanged", () => {
    const schema = object({ spec: object({ b: { ...text, default: "d" } }) });
    expect(settleStored(stored, schema)).toEqual({ ...stored, spec: { b: "d" } });
    expect(stored.spec).toEqual({ a: "x" });
  });

  test("gets no defaults of the version that it is converted to", () => {
    const schema = object({ spec: object({ b: { ...text, default: "d" } }) });
    expect(pruneConverted(stored, schema)).toEqual({ ...stored, spec: {} });
  });
});
