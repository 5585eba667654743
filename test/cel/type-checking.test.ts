import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from "../../src/api/admissionregistration/policy/schema.ts";
import { startTestbed } from "../../src/controllers/testbed.suite.ts";
import { warningsAbout } from "../../src/controllers/validating-admission-policy-status/controller.ts";

/** Upstream's warnings about a policy: see the fixture's README. */
interface Answer {
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly warnings: readonly ExpressionWarning[];
}

const answers = readFileSync(new URL("../fixtures/cel/type-checking.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  // Safe: each line is an answer.
  .map((line) => JSON.parse(line) as Answer);

/** Masks the end of the names of types, which is the time. */
const masked = (warnings: readonly ExpressionWarning[]) =>
  warnings.map(({ fieldRef, warning }) => ({ fieldRef, warning: warning.replace(/(?<=[a-z]{2})\d+/g, "N") }));

describe("the type checker of policies warns as upstream's", async () => {
  const { client, env } = await startTestbed(() => []);
  const { signal } = new AbortController();

  test.each(answers.map((answer, index) => [index + 1, answer] as const))("line %i", async (_, answer) => {
    const warnings = await warningsAbout(answer.spec, { client, env, signal });
    expect(masked(warnings)).toEqual(masked(answer.warnings));
  });
});
