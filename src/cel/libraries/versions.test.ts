import { expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { versions } from "./versions.ts";

const evaluate = evaluator([versions], { long: "1".repeat(1_000_000) });

test.each<[string, unknown]>([
  ["semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()", 6],
  ["semver('v1.02', true) == semver('1.2.0')", true],
  ["semver('1.2.3+a') == semver('1.2.3+b')", true],
  ["semver('1.2.3') == dyn('1.2.3')", "error: no such overload"],
  ["isSemver('v1') || isSemver('1.02.3') || isSemver('1.2.3-')", false],
  ["isSemver('v1', true) && isSemver('00.1.02', true)", true],
  ["semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))", true],
  ["semver('1.2.3-10').compareTo(semver('1.2.3-9'))", 1],
  ["semver('1.2.3-a').isGreaterThan(semver('1.2.3-9'))", true],
  ["semver('1.2.3-a').compareTo(semver('1.2.3-a.b'))", -1],
  ["semver('1.2')", "error: No Major.Minor.Patch elements found"],
  ["semver('1.02.3')", 'error: Minor number must not contain leading zeroes "02"'],
  ["semver('1.2.3-a_b')", 'error: Invalid character(s) found in prerelease "a_b"'],
  ["semver('1.2-a', true)", "error: short version cannot contain PreRelease/Build meta data"],
  ["semver('18446744073709551615.0.0').major()", -1],
  ["isSemver(long + '.' + long) || isSemver('1.2.3-' + long, true)", false],
])("%s is %j", (source, value) => {
  expect(evaluate(source).value).toEqual(value);
});

test("parsing a version costs a tenth for each character", () => {
  expect(evaluate("semver('1.2.3-alpha').major()").cost).toBe(2 + 1);
});
