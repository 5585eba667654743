import { expect, test } from "vitest";
import { root } from "../../../meta/field-error.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { validateValue } from "./validate.ts";

const problems = (schema: JSONSchemaProps, value: unknown) =>
  [...validateValue(schema, value, root)].map(({ message }) => / in body .*/.exec(message)?.[0]);

const text = (pattern: string): JSONSchemaProps => ({ type: "string", pattern });

const long = "a".repeat(1_000_000);

test("a pattern with exponential backtracking is searched in linear time", () => {
  expect(problems(text("(a+)+$"), long)).toEqual([]);
  expect(problems(text("^(a+)+$"), `${long}!`)).toEqual([" in body should match '^(a+)+$'"]);
}, 2000);

test("a search that would take long is refused", () => {
  const pattern = "^(a|b)*a(a|b){900}c*$";
  expect(problems(text(pattern), long)).toEqual([
    ` in body should be short enough to be searched for '${pattern}'`,
  ]);
}, 2000);

test("the limit applies to all searches in one value together", () => {
  const value = Array.from({ length: 400 }, (_, i) => `${i}${"a".repeat(1000)}`);
  const found = problems({ type: "array", items: text("a{900}$") }, value);
  expect(found.length).toBeGreaterThan(50);
  expect(found.length).toBeLessThan(390);
}, 5000);

test("a stored pattern that is invalid matches nothing", () => {
  const problem = "error parsing regexp: missing closing ): `(`";
  expect(problems(text("("), "a")).toEqual([` in body should match '(, but pattern is invalid: ${problem}'`]);
});
