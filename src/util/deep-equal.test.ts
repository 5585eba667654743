import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepEqual } from "./deep-equal.ts";

const parse = (text: string): unknown => JSON.parse(text);

describe("deepEqual", () => {
  test.each<readonly [a: unknown, b: unknown]>([
    [1, 1],
    ["", ""],
    [null, null],
    [[], []],
    [{}, {}],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: [{ b: null }] }, { a: [{ b: null }] }],
    [parse('{"__proto__":{"a":1}}'), parse('{"__proto__":{"a":1}}')],
  ])("%j equals %j", (a, b) => {
    expect(deepEqual(a, b)).toBe(true);
    expect(deepEqual(b, a)).toBe(true);
  });

  test.each<readonly [a: unknown, b: unknown]>([
    [1, "1"],
    [0, false],
    [null, undefined],
    [null, {}],
    [{}, []],
    [[1, 2], [1]],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ constructor: {} }, { a: {} }],
    [parse('{"__proto__":{}}'), { a: {} }],
    [parse('{"__proto__":{}}'), {}],
  ])("%j differs from %j", (a, b) => {
    expect(deepEqual(a, b)).toBe(false);
    expect(deepEqual(b, a)).toBe(false);
  });

  test("a value equals its copy, and no copy in which one thing is different", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(deepEqual(value, structuredClone(value))).toBe(true);
        expect(deepEqual({ inner: [value] }, { inner: [{ value }] })).toBe(false);
        expect(deepEqual([value, 1], [structuredClone(value), 2])).toBe(false);
      }),
    );
  });
});
