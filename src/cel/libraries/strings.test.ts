import { describe, expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { stringFunctions } from "./strings.ts";

const long = "x".repeat(200_000);
const evaluate = evaluator([stringFunctions], { long, text: "héllo 𝒳!", texts: ["a", "b"], number: 1.5 });

describe("functions of strings", () => {
  test.each<[string, unknown]>([
    ["text.charAt(6)", "𝒳"],
    ["text.charAt(8)", ""],
    ["text.charAt(9)", "error: index out of range: 9"],
    ["text.indexOf('!')", 7],
    ["text.indexOf('l', 3)", 3],
    ["text.indexOf('l', -1)", "error: index out of range: -1"],
    ["text.lastIndexOf('l')", 3],
    ["text.lastIndexOf('l', 2)", 2],
    ["text.lowerAscii() + text.upperAscii()", "héllo 𝒳!HéLLO 𝒳!"],
    ["text.replace('l', '$&', 1)", "hé$&lo 𝒳!"],
    ["'a𝒳'.replace('', '-')", "-a-𝒳-"],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"]],
    ["'a𝒳'.split('')", ["a", "𝒳"]],
    ["text.substring(6, 7)", "𝒳"],
    ["text.substring(2, 1)", "error: invalid substring range. start: 2, end: 1"],
    ["'\\u0085 a b\\u3000'.trim()", "a b"],
    ["texts.join('-')", "a-b"],
    ["[dyn('a'), dyn(1)].join()", "error: join: invalid input: 1"],
    ["strings.quote('a\\n\"')", '"a\\n\\""'],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test.each<[string, unknown]>([
    ["'%s is %d of %.2f%%'.format(['a', 1, 1234.5])", "a is 1 of 1,234.50%"],
    ["'%e'.format([number])", "1.500000×10⁰⁰"],
    ["'%x %X %o %b'.format([255, 'ÿ', 8, true])", "ff C3BF 10 1"],
    ["'%s'.format([[{'a': null, 'b': b'x'}, 1.5]])", '[{"a":null, "b":b"x"}, 1.500000]'],
    [
      "'%d'.format([dyn('a')])",
      "error: error during formatting: decimal clause can only be used on integers, was given string",
    ],
    ["'%s %s'.format(texts + ['c'])", "a b"],
    ["('%s' + '%s').format(['a'])", "error: index 1 out of range"],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test.each([
    ["'%d'.format(['a'])", /1:14: error during formatting: decimal clause/],
    ["'%s'.format([1, 2])", /1:12: too many arguments supplied to string.format \(expected 1, got 2\)/],
    ["'%q'.format([1])", /could not parse formatting clause: unrecognized formatting clause "q"/],
  ])("%s does not compile", (source, issue) => {
    expect(evaluate(source).value).toMatch(issue);
  });

  test("the cost of a function grows with the length of the string", () => {
    expect(evaluate("long.trim().size()").cost).toBe(1 + 20_000 + 1);
    expect(evaluate("long.split(',').size()").cost).toBe(1 + 40_000 + 1);
    expect(evaluate("texts.join().size()").cost).toBe(1 + 1 + 1);
    expect(evaluate("long.charAt(1)").cost).toBe(2);
  });

  test.each([
    "long.replace('', long)",
    "long.split('').map(c, long).join(long)",
    "long.indexOf(long.substring(1) + 'y' + long)",
    "long.replace('x', long).replace('x', long)",
    "'%.999999999e'.format([1.0])",
    "long.split('').map(c, '%s%s%s%s'.format([long, long, long, long]))",
    "long.split('').all(c, long.charAt(199999) == 'x')",
  ])("%s terminates", (source) => {
    expect(evaluate(source).value).toBe("error: operation cancelled: actual cost limit exceeded");
  });
});
