import { expect, test } from "vitest";
import {
  countOf,
  countOfCommon,
  firstFree,
  formatIndexes,
  hasIndex,
  parseIndexes,
  withIndexes,
} from "./indexes.ts";

// After upstream's `TestCalculateSucceededIndexes`.
test.each([
  ["", [1], 2, "1"],
  ["", [5, 5, 10], 11, "5,10"],
  ["", [2, 3, 5, 6, 7], 8, "2,3,5-7"],
  ["0-5,8-10", [], 8, "0-5"],
  ["0-5,8-10", [], 10, "0-5,8,9"],
  ["0,4,5,10-12", [2, 7, 8], 13, "0,2,4,5,7,8,10-12"],
  ["3,4,6", [2, 7, 8], 9, "2-4,6-8"],
  ["2,7,8", [3, 4, 6], 9, "2-4,6-8"],
  ["2-7", [0, 3, 5, 9], 10, "0,2-7,9"],
  ["0,1,3-5,6,7-10", [], 11, "0,1,3-10"],
  ["bad,2,x-3", [], 11, "2"],
])("%j with %j below %i are %j", (text, more, completions, expected) => {
  const indexes = withIndexes(parseIndexes(text, completions), more);
  expect(formatIndexes(indexes)).toBe(expected);
  expect(countOf(indexes)).toBe(expected.split(",").reduce((sum, part) => sum + size(part), 0));
});

function size(part: string): number {
  const [first = 0, last = first] = part.split("-").map(Number);
  return last - first + 1;
}

// After upstream's `TestFirstPendingIndexes`.
test.each([
  ["", 3, 20, [0, 1, 2]],
  ["0-3,5,6", 3, 20, [4, 7, 8]],
  ["0,2-5", 10, 8, [1, 6, 7]],
  ["0-3", 10, 4, []],
  ["1-3", 0, 10, []],
  ["2,5-8", 5, 20, [0, 1, 3, 4, 9]],
])("the first free indexes beside %j, at most %i below %i, are %j", (taken, count, completions, expected) => {
  expect(firstFree(parseIndexes(taken, 1000), count, completions)).toEqual(expected);
});

test("an index is found at both ends of each interval, and not beside it", () => {
  const indexes = parseIndexes("1,3-5,9", 20);
  expect([0, 1, 2, 3, 4, 5, 6, 8, 9, 10].filter((index) => hasIndex(indexes, index))).toEqual([
    1, 3, 4, 5, 9,
  ]);
});

test.each([
  ["0-4", "0-4", 5],
  ["0-4,8", "3-9", 3],
  ["1,3,5", "0,2,4", 0],
  ["0-9", "1,3-4,9-12", 4],
  ["", "0-3", 0],
])("%j and %j have %i in common", (a, b, expected) => {
  expect(countOfCommon(parseIndexes(a, 100), parseIndexes(b, 100))).toBe(expected);
  expect(countOfCommon(parseIndexes(b, 100), parseIndexes(a, 100))).toBe(expected);
});
