import { describe, expect, test } from "vitest";
import { evaluator } from "./cel.suite.ts";

const evaluate = evaluator([], {
  text: "hello wörld",
  pattern: "w.rld$",
  broken: "(",
  number: 1,
  long: "a".repeat(50_000),
});

describe("regular expressions", () => {
  test.each<[string, unknown]>([
    ["text.matches('w.rld')", true],
    ["text.matches('^w')", false],
    ["matches(text, pattern)", true],
    ["'𝒳'.matches('^.$')", true],
    ["'é'.matches('^\\\\p{L}$')", true],
    ["'A'.matches('(?i)a')", true],
    ["text.matches(broken)", "error: error parsing regexp: missing closing ): `(`"],
    ["number.matches('a')", "error: no such overload"],
    ["'a'.matches('[')", expect.stringMatching(/ERROR: <input>:1:13: invalid matches argument/)],
    ["text.matches('(?=x)')", expect.stringMatching(/invalid matches argument/)],
    ["matches(text, '[')", "error parsing regexp: missing closing ]: `[`"],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test("a pattern with exponential backtracking is searched in linear time", () => {
    expect(evaluate("long.matches('^(a+)+$') && !long.matches('^(a|aa)+b$')").value).toBe(true);
  });

  test("the cost of a search depends on the lengths of text and pattern", () => {
    expect(evaluate("'0123456789'.matches('abcdefgh')").cost).toBe(2 * 2);
    expect(evaluate("matches('0123456789', 'abcdefgh')").cost).toBe(1);
  });
});
