import { describe, expect, test } from "vitest";
import { describe as textOf, type FieldError, root } from "../field-error.ts";
import {
  isEmptySelector,
  validateAnnotations,
  validateFieldRequirement,
  validateLabelRequirement,
  validateLabelSelector,
} from "./labels.ts";

const path = root.child("f");
const texts = (found: Iterable<FieldError>) => [...found].map(textOf);
/** Only the fields and reasons: the wording is that of the rules for names. */
const places = (found: Iterable<FieldError>) =>
  texts(found).map((one) => /^[^ ]+ \w+ value|^[^ ]+ Forbidden/.exec(one)?.[0]);

/** After apimachinery's `TestLabelSelectorMatchExpression`, with each operator. */
test.each<
  [key: string, operator: string, values: readonly string[] | undefined, problems: readonly string[]]
>([
  ["key", "In", ["value"], []],
  ["key", "NotIn", ["value", ""], []],
  ["key", "Exists", undefined, []],
  ["key", "DoesNotExist", [], []],
  ["-key", "In", ["value"], ["key: Invalid value"]],
  ["key", "abc", ["value"], ["operator: Invalid value"]],
  ["key", "In", ["value", "-value"], ["values[1]: Invalid value"]],
  ["key", "In", undefined, ["values: Required value"]],
  ["key", "NotIn", [], ["values: Required value"]],
  ["key", "Exists", ["value"], ["values: Forbidden"]],
  ["key", "DoesNotExist", ["value"], ["values: Forbidden"]],
])("a selector with %j %s %j has the problems %j", (key, operator, values, problems) => {
  const one = { key, operator, ...(values === undefined ? {} : { values }) };
  const expected = problems.map((problem) => `f.matchExpressions[0].${problem}`);
  expect(places(validateLabelSelector({ matchExpressions: [one] }, path))).toEqual(expected);
});

test("the labels of a selector are checked like those of an object", () => {
  const matchLabels = { "-": "ok", ok: "-" };
  expect(places(validateLabelSelector({ matchLabels }, path))).toEqual([
    "f.matchLabels: Invalid value",
    "f.matchLabels: Invalid value",
  ]);
  expect(texts(validateLabelSelector(undefined, path))).toEqual([]);
});

test("a single requirement may have an unknown operator, with and without values", () => {
  const requirement = { key: "a", operator: "Gt" };
  expect(texts(validateLabelRequirement(requirement, path))).toEqual([]);
  expect(texts(validateLabelRequirement({ ...requirement, values: ["1"] }, path))).toEqual([]);
});

describe("a requirement of a field selector", () => {
  test.each<[key: string, operator: string, values: readonly string[], problems: readonly string[]]>([
    ["spec.nodeName", "In", ["a/b c"], []],
    ["any thing", "Exists", [], []],
    ["", "Exists", [], ["f.key: Required value: must be specified"]],
    ["a", "In", [], ["f.values: Required value: must be specified when `operator` is 'In' or 'NotIn'"]],
    [
      "a",
      "DoesNotExist",
      ["b"],
      ["f.values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
  ])("%j %s %j has the problems %j", (key, operator, values, problems) => {
    expect(texts(validateFieldRequirement({ key, operator, values }, path))).toEqual(problems);
  });
});

test("annotations have 256 KiB in total", () => {
  const largest = { a: "x".repeat(131_071), b: "é".repeat(65_535), c: "" };
  expect(texts(validateAnnotations(largest, path))).toEqual([]);
  expect(texts(validateAnnotations({ ...largest, c: "12" }, path))).toEqual([
    "f: Too long: may not be more than 262144 bytes",
  ]);
});

test.each([
  [{}, true],
  [{ matchLabels: {}, matchExpressions: [] }, true],
  [{ matchLabels: { a: "b" } }, false],
  [{ matchExpressions: [{ key: "a", operator: "Exists" }] }, false],
])("the selector %j is empty: %j", (selector, expected) => {
  expect(isEmptySelector(selector)).toBe(expected);
});
