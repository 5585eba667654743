import { describe, expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { listTransformations } from "./list-transformations.ts";

const evaluate = evaluator([listTransformations], {
  numbers: [3, 1, 2],
  people: [
    { name: "b", age: 1 },
    { name: "a", age: 2 },
  ],
  many: Array.from({ length: 5000 }, (_, i) => `${i}`),
});

describe("transformations of lists", () => {
  test.each<[string, unknown]>([
    ["[1, 2, 3].slice(1, 2)", [2]],
    ["[1].slice(0, 2)", "error: cannot slice(0, 2), list is length 1"],
    ["[1].slice(1, 0)", "error: cannot slice(1, 0), start index must be less than or equal to end index"],
    ["[1].slice(-1, 0)", "error: cannot slice(-1, 0), negative indexes not supported"],
    ["[[[1]], [[2]]].flatten()", [[1], [2]]],
    ["[[[1]], [[2]]].flatten(2)", [1, 2]],
    ["[[1]].flatten(-1)", "error: level must be non-negative"],
    ["[3, 1, 2].sort()", [1, 2, 3]],
    ["[dyn(1), dyn('a')].sort()", "error: list elements must have the same type"],
    ["[dyn([1])].sort()", "error: list elements must be comparable"],
    ["people.sortBy(p, string(p.name)).map(p, p.age)", [2, 1]],
    ["lists.range(3)", [0, 1, 2]],
    ["numbers.reverse()", [2, 1, 3]],
    ["[dyn(1), dyn(1.0), dyn('a')].distinct()", [1, "a"]],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test.each<[string, number]>([
    ["numbers.reverse()", 1 + 11 + 3],
    ["numbers.distinct()", 1 + 11 + 18],
    ["[numbers].flatten(2)", 1 + 10 + 11 + 2],
    ["lists.range(3)", 11 + 3],
    ["lists.range(4).slice(0, 2)", 11 + 4 + 11 + 2],
    ["['b', 'a'].sort()", 11 + 8],
  ])("%s costs %d", (source, cost) => {
    expect(evaluate(source).cost).toBe(cost);
  });

  test.each(["lists.range(9223372036854775807)", "many.distinct()", "many.map(m, many).flatten()"])(
    "%s terminates",
    (source) => {
      const { value } = evaluate(`${source}.size() > 0`);
      expect(value === true || value === "error: operation cancelled: actual cost limit exceeded").toBe(true);
    },
  );
});
