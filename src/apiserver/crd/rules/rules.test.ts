import { describe, expect, test } from "vitest";
import type {
  JSONSchemaProps,
  ValidationRule,
} from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { Correlation } from "../../../api/apiextensions/values/correlation.ts";
import { describe as say, root } from "../../../meta/field-error.ts";
import { Budget } from "./budget.ts";
import { Ratchet } from "./ratchet.ts";
import { ruleTree } from "./rule-tree.ts";
import { runRules } from "./run-rules.ts";
import { maxRequestSize, shapeOf } from "../../../expressions/schema-shape.ts";

const int: JSONSchemaProps = { type: "integer" };
const text: JSONSchemaProps = { type: "string" };
const object = (properties: Readonly<Record<string, JSONSchemaProps>>): JSONSchemaProps => ({
  type: "object",
  properties,
});
const list = (items: JSONSchemaProps, more: JSONSchemaProps = {}) => ({ type: "array", items, ...more });
const that = (schema: JSONSchemaProps, ...rules: readonly (string | ValidationRule)[]): JSONSchemaProps => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const byKey = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };

/** Returns the errors; tolerated ones are in parentheses. */
function check(schema: JSONSchemaProps, value: unknown, old?: unknown, budget = 1e7): readonly string[] {
  const tree = ruleTree(schema, false);
  if (tree === undefined) return ["no rules"];
  const correlation = old === undefined ? undefined : new Correlation(schema, value, old);
  const place = { path: root, value, old, ratchet: new Ratchet(correlation, undefined) };
  const found = runRules(tree, place, new Budget(budget));
  return found.map((error) => (error.forgiven ? `(${say(error)})` : say(error)));
}

describe("rules run", () => {
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["nowhere without rules", object({ a: int }), { a: 1 }, ["no rules"]],
    [
      "on their own values",
      object({ a: that(int, "self > 1") }),
      { a: 1 },
      ["a: Invalid value: 1: failed rule: self > 1"],
    ],
    ["not on null or absent values", object({ a: that(int, "self > 1") }), { a: null, b: 1 }, []],
    [
      "on each item and entry",
      object({
        a: list(that(int, "self > 1")),
        m: { type: "object", additionalProperties: that(int, "self > 1") },
      }),
      { a: [2, 1], m: { x: 0 } },
      ["a[1]: Invalid value: 1: failed rule: self > 1", "m[x]: Invalid value: 0: failed rule: self > 1"],
    ],
    [
      "on an object, across its fields",
      that(object({ a: int, b: int }), "self.a < self.b"),
      { a: 2, b: 1 },
      ["<nil>: Invalid value: failed rule: self.a < self.b"],
    ],
    [
      "on, after one that fails",
      object({ a: that(int, "1 / self > 0", "self > 1") }),
      { a: 0 },
      [
        'a: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0',
        "a: Invalid value: 0: failed rule: self > 1",
      ],
    ],
    [
      "on names that must be escaped",
      that(object({ "a-b": text, namespace: text }), "self.a__dash__b == self.__namespace__"),
      { "a-b": "x", namespace: "y" },
      ["<nil>: Invalid value: failed rule: self.a__dash__b == self.__namespace__"],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });
});

describe("rules about changes", () => {
  const immutable = that(text, "self == oldSelf");
  test.each<[string, JSONSchemaProps, unknown, unknown, readonly string[]]>([
    ["ignore new values", object({ a: immutable }), { a: "x" }, {}, []],
    [
      "apply to values with an old value",
      object({ a: immutable }),
      { a: "x" },
      { a: "y" },
      ['a: Invalid value: "x": failed rule: self == oldSelf'],
    ],
    [
      "find an item by its keys",
      list(object({ k: text, v: immutable }), byKey),
      [
        { k: "b", v: "x" },
        { k: "a", v: "x" },
      ],
      [
        { k: "a", v: "x" },
        { k: "b", v: "y" },
      ],
      ['[0].v: Invalid value: "x": failed rule: self == oldSelf'],
    ],
    ["find no item of a plain list", list(immutable), ["x"], ["y"], []],
    [
      "run without an old value with optionalOldSelf",
      object({ a: that(text, { rule: "oldSelf.hasValue()", optionalOldSelf: true }) }),
      { a: "x" },
      {},
      ['a: Invalid value: "x": failed rule: oldSelf.hasValue()'],
    ],
    [
      "are not forgiven",
      object({ a: that(text, "self == oldSelf + 'x'") }),
      { a: "y" },
      { a: "y" },
      ["a: Invalid value: \"y\": failed rule: self == oldSelf + 'x'"],
    ],
  ])("%s", (_, schema, value, old, expected) => {
    expect(check(schema, value, old)).toEqual(expected);
  });
});

describe("old errors are tolerated", () => {
  const positive = that(int, { rule: "self > 0", message: "too small" });
  const wrong = "Invalid value: 0: too small";
  test.each<[string, JSONSchemaProps, unknown, unknown, readonly string[]]>([
    [
      "in unchanged values",
      object({ a: positive, b: positive }),
      { a: 0, b: 0 },
      { a: 0, b: 1 },
      [`(a: ${wrong})`, `b: ${wrong}`],
    ],
    [
      "in an item that is found by its keys",
      list(object({ k: text, v: positive }), byKey),
      [
        { k: "b", v: 0 },
        { k: "a", v: 0 },
      ],
      [{ k: "a", v: 0 }],
      [`[0].v: ${wrong}`, `([1].v: ${wrong})`],
    ],
    [
      "in a plain list that is the same as a whole",
      object({ a: list(positive), b: list(positive) }),
      { a: [0], b: [0, 1] },
      { a: [0], b: [0] },
      [`(a[0]: ${wrong})`, `b[0]: ${wrong}`],
    ],
  ])("%s", (_, schema, value, old, expected) => {
    expect(check(schema, value, old)).toEqual(expected);
  });
});

describe("the cost of rules", () => {
  const all = that(list(int), "self.all(x, self.all(y, x <= y))");
  const ones = (count: number) => Array.from({ length: count }, () => 1);

  test("one expression may cost a million units", () => {
    const why = "no further validation rules will be run due to call cost exceeds limit for rule";
    expect(check(all, ones(100))).toEqual([]);
    expect(check(all, ones(600))).toEqual([
      `<nil>: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': ${why}: self.all(x, self.all(y, x <= y))`,
    ]);
  });

  test("the rules of an object share its budget; once it is spent none runs", () => {
    const rules = object({ a: that(int, "self == 1"), b: that(int, "self == 2"), c: that(int, "self == 3") });
    const value = { a: 0, b: 0, c: 0 };
    const over =
      'Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run';
    expect(check(rules, value, undefined, 6)).toHaveLength(3);
    expect(check(rules, value, undefined, 3)).toEqual([
      "a: Invalid value: 0: failed rule: self == 1",
      `b: ${over}`,
    ]);
    expect(check(rules, value, undefined, 2)).toEqual([
      "a: Invalid value: 0: failed rule: self == 1",
      `b: ${over}`,
    ]);
    expect(check(rules, value, undefined, 1)).toEqual([`a: ${over}`]);
  });

  test("messages use the same budget", () => {
    const rule = { rule: "self == 1", messageExpression: "'a' + 'b'" };
    const schema = that(int, rule, rule);
    expect(check(schema, 0)).toEqual(["<nil>: Invalid value: 0: ab", "<nil>: Invalid value: 0: ab"]);
    const why =
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    expect(check(schema, 0, undefined, 2)).toEqual([`<nil>: Invalid value: "integer": ${why}`]);
  });
});

describe("the size of values", () => {
  const most = maxRequestSize - 2;
  test.each<[string, JSONSchemaProps, number, number]>([
    ["a text", text, most, 2],
    ["a short text", { ...text, maxLength: 5 }, 20, 2],
    ["one of some texts", { ...text, enum: ["a", "äbc"] }, 4, 2],
    ["bytes", { ...text, format: "byte", maxLength: 5 }, 5, 2],
    ["a time", { ...text, format: "date-time" }, 32, 21],
    ["a port", { "x-kubernetes-int-or-string": true }, most, 1],
    ["a number", int, 0, 1],
    ["a list of numbers", list(int), Math.floor(most / 2), 2],
    ["a list of lists", list(list(int)), Math.floor(most / 3), 2],
    ["a bounded list", list(int, { maxItems: 7 }), 7, 2],
    ["a map", { type: "object", additionalProperties: int }, Math.floor(most / 7), 2],
    [
      "an object with its required fields",
      { ...object({ ab: text, c: int, d: { ...int, default: 1 } }), required: ["ab", "d"] },
      0,
      10,
    ],
  ])("%s", (_, schema, maxSize, minSize) => {
    const sized = shapeOf(schema, false);
    expect([sized?.shape.maxSize, sized?.minSize]).toEqual([maxSize, minSize]);
  });

  test.each<[string, JSONSchemaProps]>([
    ["without a type", {}],
    ["that are lists of such", list({})],
    ["that are maps of such", { type: "object", additionalProperties: {} }],
  ])("is unknown for values %s", (_, schema) => {
    expect(shapeOf(schema, false)).toBeUndefined();
  });
});
