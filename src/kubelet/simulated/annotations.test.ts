import { expect, test } from "vitest";
import { RuntimeError } from "../runtime.ts";
import { overridesOf } from "./annotations.ts";

const own = (name: string, value: string) => overridesOf({ [`simulation.knarr.dev/${name}`]: value });

test.each([
  ["run-for", "1m30.5s", { runFor: 90_500 }],
  ["run-for", "0", { runFor: 0 }],
  ["start-delay", "250ms", { startDelay: 250 }],
  ["ready-delay", "1h", { readyDelay: 3_600_000 }],
  ["exit-code", "137", { exitCode: 137 }],
  ["cpu", "250m", { cpu: 0.25 }],
  ["memory", "64Mi", { memory: 2 ** 26 }],
])("%s: %s is understood", (name, value, overrides) => {
  expect(own(name, value)).toEqual(overrides);
});

test("annotations of others are left alone", () => {
  expect(overridesOf({ "example.com/run-for": "x", "simulation.knarr.dev.example.com/a": "x" })).toEqual({});
});

test.each([
  ["run-for", "2", "must be a duration such as 1m30s"],
  ["run-for", "-1s", "must be between 0s and 596h, inclusive"],
  ["run-for", "600h", "must be between 0s and 596h, inclusive"],
  ["start-delay", "", "must be a duration such as 1m30s"],
  ["exit-code", "256", "must be between 0 and 255, inclusive"],
  ["exit-code", "1e1", "must be between 0 and 255, inclusive"],
  ["exit-code", "", "must be between 0 and 255, inclusive"],
  ["cpu", "-1", "must be between 0 and 1000000, inclusive"],
  ["cpu", "1000001", "must be between 0 and 1000000, inclusive"],
  ["memory", "1E", "must be between 0 and 9007199254740992, inclusive"],
  ["memory", "1Zi", "quantities must match the regular expression"],
  ["memory", "1".repeat(65), "must be no more than 64 characters"],
])("%s: %s is refused with its path", (name, value, message) => {
  expect(() => own(name, value)).toThrow(
    `metadata.annotations[simulation.knarr.dev/${name}]: Invalid value: `,
  );
  expect(() => own(name, value)).toThrow(message);
});

test("an unknown setting is refused as a configuration error, and a thousand of them stay short", () => {
  const unknown = Array.from({ length: 1000 }, (_, i) => [`simulation.knarr.dev/x${i}`, ""]);
  let refusal: unknown;
  try {
    overridesOf(Object.fromEntries(unknown));
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(RuntimeError);
  expect(refusal).toMatchObject({ reason: "CreateContainerConfigError" });
  expect(String(refusal)).toContain(
    'metadata.annotations[simulation.knarr.dev/x0]: Unsupported value: "simulation',
  );
  expect(String(refusal).length).toBeLessThan(2000);
});
