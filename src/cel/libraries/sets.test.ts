import { expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { sets } from "./sets.ts";

const evaluate = evaluator([sets], { numbers: [1, 2], many: Array.from({ length: 100_000 }, (_, i) => i) });

test.each<[string, unknown, number]>([
  ["sets.contains([1, 2], [2, 2])", true, 5],
  ["sets.contains(numbers, [2.0, 3.0])", false, 6],
  ["sets.contains([], [])", true, 1],
  ["sets.equivalent([1, 1, 2], [2, 1])", true, 13],
  ["sets.equivalent(numbers, [1])", false, 6],
  ["sets.intersects(numbers, [3, 2])", true, 6],
  ["sets.intersects(numbers, [3])", false, 4],
])("%s is %j and costs %d", (source, value, cost) => {
  expect(evaluate(source)).toEqual({ value, cost });
});

test("comparing each element with each other one terminates", () => {
  const { value } = evaluate("sets.contains(many.map(m, m), many.map(m, m + 1))");
  expect(value).toBe("error: operation cancelled: actual cost limit exceeded");
});
