import { expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { patterns } from "./patterns.ts";

const evaluate = evaluator([patterns], { text: "é𝒳 aa b", long: "a".repeat(100_000) });

test.each<[string, unknown]>([
  ["'abc'.find('b.')", "bc"],
  ["'abc'.find('z')", ""],
  ["'aabb'.findAll('a|b+')", ["a", "a", "bb"]],
  ["'aabb'.findAll('a|b+', 2)", ["a", "a"]],
  ["'aabb'.findAll('a', 0)", []],
  ["'baau'.findAll('a*')", ["", "aa", ""]],
  ["'é𝒳'.findAll('.')", ["é", "𝒳"]],
  ["'é𝒳'.findAll('')", ["", "", ""]],
  ["'aa'.findAll('^a')", ["a"]],
  ["'a'.find('(' + '')", "error: Illegal regex: error parsing regexp: missing closing ): `(`"],
  ["'a'.find('(')", "error parsing regexp: missing closing ): `(`"],
])("%s is %j", (source, value) => {
  expect(evaluate(source).value).toEqual(value);
});

test("a search costs a tenth for each character, times a quarter for each character of the pattern", () => {
  expect(evaluate("long.find('aaaaaaaa') == 'x'").cost).toBe(1 + 10_001 * 2 + 1);
});

test.each(["long.findAll('(?:a.*b)|a')", "long.findAll('(?:(?:a{0,30}){0,30}x)?')"])(
  "%s terminates",
  (source) => {
    expect(evaluate(`${source}.size() > 0`).value).toBe(
      "error: operation cancelled: actual cost limit exceeded",
    );
  },
);
