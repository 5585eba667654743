import { expect, test } from "vitest";
import { goFloat, goNumber, goSyntax, goType, goValue } from "./go-value.ts";

test.each<[type: string, plain: string, syntax: string, value: unknown]>([
  ["<nil>", "<nil>", "<nil>", undefined],
  ["<nil>", "<nil>", "<nil>", null],
  ["string", "a b", '"a b"', "a b"],
  ["bool", "true", "true", true],
  ["int64", "5", "5", 5],
  ["float64", "5.5", "5.5", 5.5],
  ["float64", "1e+30", "1e+30", 1e30],
  ["int64", "9007199254740993", "9007199254740993", 9007199254740993n],
  ["[]interface {}", "[1 a <nil>]", '[]interface {}{1, "a", interface {}(nil)}', [1, "a", null]],
  [
    "map[string]interface {}",
    "map[a:map[c:false] b:[]]",
    'map[string]interface {}{"a":map[string]interface {}{"c":false}, "b":[]interface {}{}}',
    { b: [], a: { c: false } },
  ],
])("a value of type %s is printed as %s or %s", (type, plain, syntax, value) => {
  expect([goType(value), goValue(value), goSyntax(value)]).toEqual([type, plain, syntax]);
});

test.each([
  [5, "5"],
  [5.5, "5.5"],
  [1e6, "1000000"],
  [2 ** 62, "4611686018427387904"],
  [2 ** 63, "9.223372036854776e+18"],
  [9007199254740993n, "9007199254740993"],
])("the number %d is %s", (value, text) => {
  expect(goNumber(value)).toBe(text);
});

test.each([
  [0, "0"],
  [-0, "-0"],
  [1e6, "1e+06"],
  [0.5, "0.5"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [123456.7, "123456.7"],
  [1234567.8, "1.2345678e+06"],
  [-1e21, "-1e+21"],
])("the float %d is %s", (value, text) => {
  expect(goFloat(value)).toBe(text);
});
