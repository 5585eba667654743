import { expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";

test.each([
  ["1", 1],
  ["-1.5e3", -1500],
  ["2.", 2],
  [".5", 0.5],
])("the text %j is the double %d", (text, value) => {
  expect(evaluator([], { text })("double(text)").value).toBe(value);
});

// In quadratic time, the test would run for many minutes.
test("a long text is no double after linear time", () => {
  const text = `${"1".repeat(1_000_000)}x`;
  expect(String(evaluator([], { text })("double(text)").value)).toMatch(/^error: type conversion error/);
});
