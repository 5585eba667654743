import { expect, test } from "vitest";
import { hasFormat } from "./formats.ts";

/** Go durations, and numbers with words in a text (go-openapi `ParseDuration`). */
test.each([
  ["1h30m", true],
  ["-1.5s", true],
  ["0", true],
  ["3 days", true],
  ["1hour", true],
  ["about 2 weeks", true],
  ["3", false],
  ["days", false],
  ["3 x", false],
  ["", false],
])("%j is a duration: %j", (text, expected) => {
  expect(hasFormat(text, "duration")).toBe(expected);
});

// In quadratic time, the test would run for many minutes.
test("a long number is read in linear time", () => {
  expect(hasFormat("1".repeat(1_000_000), "duration")).toBe(false);
  expect(hasFormat(`1${" ".repeat(1_000_000)}`, "duration")).toBe(false);
});
