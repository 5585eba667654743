import { expect, test } from "vitest";
import { compilePattern, PatternError } from "./pattern.ts";
import { effortOfPattern } from "./pattern-effort.ts";

test.each([
  ["tables", "\\pL".repeat(3000)],
  ["tables in a class", `[${"\\PL".repeat(3000)}]`],
  ["ranges without regard to case", "(?i)[a-\u{10ffff}]".repeat(100)],
  ["ranges of codes without regard to case", `(?i)[${"a-\\x{10ffff}".repeat(100)}]`],
  ["counts of counts", "(?:a{31}){31}".repeat(700)],
  ["counts in groups that are open", "(a{1000}".repeat(200)],
])("%s that take too long to parse are too large", (_name, pattern) => {
  const problem = `error parsing regexp: expression too large: \`${pattern}\``;
  expect(compilePattern(pattern)).toEqual(new PatternError(problem));
});

const octet = "[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x21\\x23-\\x5b\\x5d-\\x7f]";

test.each([
  ["long texts", "a".repeat(50_000)],
  ["addresses", `(?i)^(?:${`${octet}|\\\\${octet}|`.repeat(40)}a)$`],
  ["counts", "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.){1,16}$"],
  ["letters of any script", "^[\\p{L}\\p{N}\\p{M}]{1,63}$"],
  ["quoted braces", `\\Q${"a{1000}".repeat(1000)}\\E`],
  ["braces in a class", `[${"a{1000}".repeat(1000)}]`],
  ["codes", "\\x{10000}{2}"],
])("%s are parsed", (_name, pattern) => {
  expect(compilePattern(pattern)).not.toBeInstanceOf(PatternError);
});

test("a repeated piece counts once for each repetition", () => {
  const program = (times: number) => effortOfPattern(`(?:ab|[c{9}]\\{){${times}}`);
  expect(program(900) - program(800)).toBe(100 * (program(101) - program(100)));
  expect(program(101)).toBeGreaterThan(program(100));
});
