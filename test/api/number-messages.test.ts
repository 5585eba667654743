import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { JSONSchemaProps } from "../../src/api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { validateValue } from "../../src/api/apiextensions/values/validate.ts";
import { decode } from "../../src/meta/decode.ts";
import { describe, root } from "../../src/meta/field-error.ts";
import { parseExactly } from "../../src/meta/json.ts";

/** Numbers and schemas, with the messages of upstream's validator (apiextensions-apiserver 0.36, amd64). */
interface Case {
  readonly value: unknown;
  readonly errors: readonly string[];
}

const file = new URL("../fixtures/number-messages.jsonl", import.meta.url);
const lines = readFileSync(file, "utf8").trim().split("\n");

test(`numbers are shown as Go prints them, in ${lines.length} recorded validations`, () => {
  for (const line of lines) {
    const { value, errors } = parseExactly(line) as Case;
    const schema = decode(JSONSchemaProps, (JSON.parse(line) as { readonly schema: object }).schema);
    const found = [...validateValue(schema, value, root, { checksIntOrString: true })].map(describe);
    expect(found.toSorted(), line).toEqual(errors.toSorted());
  }
  expect(lines.length).toBeGreaterThan(200);
});
