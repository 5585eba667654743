import { expect, test } from "vitest";
import { parseOutcome } from "./client-session.ts";

const exit = (message: string) => ({ details: { causes: [{ reason: "ExitCode", message }] } });
const nonZero = { status: "Failure", reason: "NonZeroExitCode" };

test.each([
  ["success", { metadata: {}, status: "Success" }, 0],
  ["an exit code", { ...nonZero, ...exit("137") }, 137],
])("the outcome %s is an exit code", (_, status, code) => {
  expect(parseOutcome(JSON.stringify(status))).toBe(code);
});

test("a session that ends without an outcome has none", () => {
  expect(parseOutcome("")).toBeUndefined();
});

test.each([
  ["a failure", JSON.stringify({ status: "Failure", message: "no such container" }), "no such container"],
  ["no JSON", "<html>", "error stream protocol error: <html>"],
  ["null", "null", "the command failed"],
  ["a code that is no number", JSON.stringify({ ...nonZero, ...exit("x") }), "invalid exit code"],
  ["a failure without causes", JSON.stringify(nonZero), "invalid exit code"],
])("the outcome is an error: %s", (_, text, message) => {
  expect(() => parseOutcome(text)).toThrow(message);
});
