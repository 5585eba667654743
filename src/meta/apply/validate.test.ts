import { expect, test } from "vitest";
import * as s from "../schema.ts";
import { configProblems } from "./validate.ts";

const message = s.messages("io.test.v1");
const Item = message("Item", "", { id: s.optional(0, s.json, ""), name: s.optional(0, s.string, "") });
const All = message("All", "", {
  count: s.pointer(0, s.int32, ""),
  large: s.pointer(0, s.int64, ""),
  on: s.pointer(0, s.boolean, ""),
  text: s.pointer(0, s.string, ""),
  data: s.pointer(0, s.bytes, ""),
  wait: s.pointer(0, s.duration, ""),
  port: s.pointer(0, s.intOrString, ""),
  any: s.pointer(0, s.json, ""),
  raw: s.pointer(0, s.rawExtension, ""),
  owned: s.pointer(0, s.fieldsV1, ""),
  names: s.pointer(0, s.map(s.string), ""),
  items: s.pointer(0, s.keyed(Item, "id"), ""),
});
const Typed: s.MessageType = { ...All, typed: true };
const Open: s.MessageType = { ...All, open: true };

test("a configuration of the right types has no problems; null stands for any value", () => {
  const values = {
    count: 1,
    large: 2n ** 60n,
    on: false,
    text: "",
    data: "AA==",
    wait: "5s",
    port: "http",
    any: [1, {}],
    raw: { a: 1 },
    owned: { "f:a": {} },
    names: { apiVersion: "x", free: "y" },
    items: [{ id: 1 }, { id: [1, 2] }],
  };
  expect(configProblems(All, values)).toEqual([]);
  const nulls = Object.fromEntries(Object.keys(values).map((name) => [name, null]));
  expect(configProblems(All, nulls)).toEqual([]);
  expect(configProblems(All, { ...nulls, text: undefined })).toEqual([]);
});

test.each<[field: string, value: unknown, problem: string]>([
  ["large", "1", "expected numeric (int or float), got string"],
  ["on", "true", "expected boolean, got &{true}"],
  ["data", 1, "expected string, got &value.valueUnstructured{Value:1}"],
  ["wait", 5, "expected string, got &value.valueUnstructured{Value:5}"],
  ["port", {}, "expected any scalar, got &{map[]}"],
])("%s cannot be %j", (field, value, problem) => {
  expect(configProblems(All, { [field]: value })).toEqual([`.${field}: ${problem}`]);
});

test("only embedded objects have apiVersion and kind, only open ones any field", () => {
  const fields = (type: s.Type, value: object) => configProblems(type, value);
  expect(fields(Typed, { apiVersion: "v1", kind: "Pod" })).toEqual([]);
  expect(fields(Typed, { other: 1 })).toEqual([".other: field not declared in schema"]);
  expect(fields(All, { apiVersion: "v1" })).toEqual([".apiVersion: field not declared in schema"]);
  expect(fields(Open, { other: 1 })).toEqual([]);
});

test("an item of a list shows its keys, of any type; one without keys is refused", () => {
  const wrong = (id: unknown) => configProblems(All, { items: [{ id, name: 1 }] })[0]?.split(".name")[0];
  expect([1, true, "a", null, ["a", 2], { b: 1, c: "x" }].map(wrong)).toEqual([
    ".items[id=1]",
    ".items[id=true]",
    '.items[id="a"]',
    ".items[id=null]",
    '.items[id=["a",2]]',
    '.items[id=b=1c="x"]',
  ]);
  expect(configProblems(All, { items: [{ name: "a" }] })).toEqual([
    '.items: element 0: associative list with keys has an element that omits all key fields ["id"] (and doesn\'t have default values for any key fields)',
  ]);
  expect(configProblems(All, { items: ["a"] })).toEqual([
    ".items: element 0: associative list with keys may not have non-map elements",
  ]);
});

test("all problems together have at most 256 Ki characters", () => {
  const key = "k".repeat(1000);
  const names = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${key}${i}`, 1]));
  const problems = configProblems(All, { names });
  const { length } = problems.join("");
  expect(length).toBeLessThanOrEqual(2 ** 18);
  expect(length).toBeGreaterThan(2 ** 18 - 1100);
});
