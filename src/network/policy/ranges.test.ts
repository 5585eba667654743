import fc from "fast-check";
import { expect, test } from "vitest";
import { addressText, portText, type Range, rangeOf, subtract, union } from "./ranges.ts";

test.each<readonly [string, readonly Range[], readonly Range[]]>([
  ["nothing", [], []],
  [
    "apart, in any order",
    [
      [5, 6],
      [1, 3],
    ],
    [
      [1, 3],
      [5, 6],
    ],
  ],
  [
    "adjacent",
    [
      [1, 3],
      [4, 6],
    ],
    [[1, 6]],
  ],
  [
    "overlapping",
    [
      [1, 5],
      [3, 6],
      [6, 6],
    ],
    [[1, 6]],
  ],
  [
    "one in the other",
    [
      [1, 9],
      [3, 4],
    ],
    [[1, 9]],
  ],
])("ranges are merged: %s", (_, ranges, merged) => {
  expect(union(ranges)).toEqual(merged);
});

test.each<readonly [string, readonly Range[], readonly Range[]]>([
  ["nothing", [], [[10, 20]]],
  [
    "the middle",
    [[12, 13]],
    [
      [10, 11],
      [14, 20],
    ],
  ],
  ["the first number", [[10, 10]], [[11, 20]]],
  ["the last number", [[20, 20]], [[10, 19]]],
  [
    "more than both ends",
    [
      [5, 11],
      [19, 25],
    ],
    [[12, 18]],
  ],
  ["everything", [[1, 30]], []],
  [
    "others",
    [
      [1, 9],
      [21, 22],
    ],
    [[10, 20]],
  ],
])("ranges are subtracted: %s", (_, others, rest) => {
  expect(subtract([10, 20], others)).toEqual(rest);
});

test("a number is in the difference if it is in the range and in none of the others", () => {
  const range = fc.tuple(fc.nat(30), fc.nat(10)).map(([first, size]): Range => [first, first + size]);
  const within = (number: number, ranges: readonly Range[]) =>
    ranges.some(([first, last]) => first <= number && number <= last);
  fc.assert(
    fc.property(range, fc.array(range, { maxLength: 5 }), (whole, others) => {
      const rest = subtract(whole, union(others));
      for (let number = 0; number < 45; number++)
        expect(within(number, rest)).toBe(within(number, [whole]) && !within(number, others));
    }),
  );
});

test("ranges are written as nft reads them", () => {
  expect(rangeOf("10.244.1.7/24")).toEqual([0x0a_f4_01_00, 0x0a_f4_01_ff]);
  expect([rangeOf("fd00::/8"), rangeOf("10.0.0.1"), rangeOf("10.0.0.0/33")]).toEqual(
    Array(3).fill(undefined),
  );
  expect(addressText([0, 0xff_ff_ff_ff])).toBe("0.0.0.0-255.255.255.255");
  expect(addressText([0xc0_00_02_01, 0xc0_00_02_01])).toBe("192.0.2.1");
  expect([portText([80, 80]), portText([80, 90])]).toEqual(["80", "80-90"]);
});
