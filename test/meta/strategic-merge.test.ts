import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deployments } from "../../src/api/apps/deployment/schema.ts";
import { pods } from "../../src/api/core/pod/schema.ts";
import { services } from "../../src/api/core/service/schema.ts";
import { decode } from "../../src/meta/decode.ts";
import { PatchError } from "../../src/meta/patch/errors.ts";
import { strategicMerge } from "../../src/meta/patch/strategic-merge.ts";
import type { MessageType } from "../../src/meta/schema.ts";

/** Random objects and patches, with the results of `kubectl patch --local --type=strategic` (1.33). */
interface Case {
  readonly target: { readonly kind: string };
  readonly patch: unknown;
  readonly expected?: unknown;
  readonly error?: string;
}

const file = new URL("../fixtures/strategic-merge.jsonl", import.meta.url);
const recorded = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const schemas: Readonly<Record<string, MessageType>> = {
  Pod: pods.schema,
  Deployment: deployments.schema,
  Service: services.schema,
};

function outcome({ target, patch }: Case): unknown {
  const schema = schemas[target.kind]!;
  try {
    return decode(schema, strategicMerge(schema, target, patch));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return error.message.trim();
  }
}

describe("strategic merge against kubectl", () => {
  it(`gives kubectl's result for ${recorded.length} recorded patches`, () => {
    for (const example of recorded) {
      const before = JSON.stringify(example.target);
      const expected = example.error ?? decode(schemas[example.target.kind]!, example.expected);
      expect(outcome(example), JSON.stringify(example)).toEqual(expected);
      expect(JSON.stringify(example.target)).toBe(before);
    }
    expect(recorded.length).toBeGreaterThan(250);
  });
});
