import { describe, expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { lists } from "./lists.ts";

const evaluate = evaluator([lists], { numbers: [3, 1, 2], empty: [], texts: ["b", "abcdefghijklmnopqrst"] });

describe("functions of lists", () => {
  test.each<[string, unknown]>([
    ["[1, 2, 2].isSorted()", true],
    ["numbers.isSorted()", false],
    ["['a', 'B'].isSorted()", false],
    ["empty.isSorted()", true],
    ["[1u, 2u].sum() == 3u", true],
    ["[1.5, 2.5].sum()", 4],
    ["[duration('1m'), duration('1s')].sum() == duration('61s')", true],
    ["[1].filter(x, false).sum()", 0],
    ["[9223372036854775807, 1].sum()", "error: integer overflow"],
    ["numbers.min()", 1],
    ["numbers.max()", 3],
    ["[false, true].max()", true],
    ["['b', 'a'].min()", "a"],
    ["[1].filter(x, false).max()", "error: max called on empty list"],
    ["[1, 2, 2, 3].indexOf(2)", 1],
    ["[1, 2, 2, 3].lastIndexOf(2)", 2],
    ["['a'].indexOf('b')", -1],
    ["numbers.indexOf(2.0)", 2],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test("elements of different types cannot be ordered", () => {
    expect(evaluate("[dyn(1), dyn('a')].isSorted()").value).toBe(true);
    expect(evaluate("['a', 'b'].sum()").value).toMatch(
      /found no matching overload for 'sum' applied to 'list\(string\).\(\)'/,
    );
  });

  test("each element costs one unit, a string a tenth for each of its bytes, rounded down", () => {
    expect(evaluate("numbers.max()").cost).toBe(1 + 3);
    expect(evaluate("texts.max()").cost).toBe(1 + 0 + 2);
    expect(evaluate("empty.indexOf(1)").cost).toBe(1);
  });
});
