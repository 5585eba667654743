import { expect, test } from "vitest";
import { compilePattern, PatternError } from "./pattern.ts";

/** The expected results are those of Go's `regexp`. */
test.each<readonly [pattern: string, matching: readonly string[], others: readonly string[]]>([
  ["a(?i)b|c", ["aB", "C"], ["AB"]],
  ["^$", [""], ["\n"]],
  ["(?m)foo$", ["foo\nbar"], ["foobar"]],
  ["(?s)o.b", ["o\nb"], ["ob"]],
  ["^[]a-c-]+$", ["]b-"], ["d"]],
  ["^[^\\D]$", ["1"], ["a"]],
  ["^\\s$", ["\t"], ["\v", "\u00a0"]],
  ["^[[:^alpha:]]$", ["1", "ß"], ["a"]],
  ["^\\p{Greek}\\pL$", ["Ωa"], ["aΩ"]],
  ["\\Qa*\\E", ["a*"], ["aa"]],
  ["^\\x41\\x{3a9}\\07$", ["AΩ\u0007"], []],
  ["a{,2}", ["a{,2}"], ["aa"]],
  ["(?P<name>a)(?<other>b)", ["ab"], []],
  ["^𝒳.$", ["𝒳𝒴"], ["𝒳"]],
])("%s", (pattern, matching, others) => {
  const compiled = compilePattern(pattern);
  if (compiled instanceof PatternError) throw compiled;
  expect(matching.filter((text) => !compiled.test(text))).toEqual([]);
  expect(others.filter((text) => compiled.test(text))).toEqual([]);
});

const huge = "a{1000}".repeat(5000);

test.each([
  ["[a", "missing closing ]: `[a`"],
  ["(a", "missing closing ): `(a`"],
  ["a)", "unexpected ): `a)`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["a**", "invalid nested repetition operator: `**`"],
  ["a{2,1}", "invalid repeat count: `{2,1}`"],
  ["[z-a]", "invalid character class range: `z-a`"],
  ["\\p{Nope}", "invalid character class range: `\\p{Nope}`"],
  ["\\q", "invalid escape sequence: `\\q`"],
  ["(a)\\1", "invalid escape sequence: `\\1`"],
  ["\\", "trailing backslash at end of expression: ``"],
  [huge, `expression too large: \`${huge}\``],
  ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?<=a)", "invalid named capture: `(?<=a)`"],
])("%.20s is not a regular expression", (pattern, problem) => {
  expect(compilePattern(pattern)).toEqual(new PatternError(`error parsing regexp: ${problem}`));
});
