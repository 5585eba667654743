import { decode, DecodeError } from "../../../meta/decode.ts";
import type { Draft } from "../../../meta/schema.ts";
import { JSONSchemaProps } from "../v1/json-schema-props.ts";

/**
 * The schema language has no type for `a schema, or a list of them`, `… or a boolean`, `… or names`: the
 * decoder leaves such values as they are. Here they get the canonical form that the rest of a schema has.
 */

type Loose = Record<string, unknown>;

const maps = ["properties", "patternProperties", "definitions"] as const;
const lists = ["allOf", "oneOf", "anyOf"] as const;

/**
 * Brings what the decoder left in a draft into canonical form. As in Go, what is neither of two types counts
 * as nothing, but for a boolean.
 * @throws DecodeError
 */
export function settleSchema(schema: Draft<JSONSchemaProps>): void {
  const loose = schema as Loose;
  settleItems(loose);
  for (const name of ["additionalProperties", "additionalItems"]) {
    if (isObject(loose[name])) loose[name] = settled(loose[name]);
    else if (loose[name] !== undefined && typeof loose[name] !== "boolean") {
      throw new DecodeError("boolean or JSON schema expected");
    }
  }
  const dependencies = loose["dependencies"] as Loose | undefined;
  for (const [name, value] of Object.entries(dependencies ?? {})) {
    if (dependencies !== undefined && !isFullList(value)) {
      dependencies[name] = isObject(value) ? settled(value) : null;
    }
  }
  for (const name of lists) for (const inner of schema[name] ?? []) settleSchema(inner);
  for (const name of maps) for (const inner of Object.values(schema[name] ?? {})) settleSchema(inner);
  if (schema.not !== undefined) settleSchema(schema.not);
}

function settleItems(loose: Loose): void {
  const { items } = loose;
  if (isObject(items)) loose["items"] = settled(items);
  else if (isFullList(items)) loose["items"] = items.map(settled);
  else delete loose["items"];
}

function settled(value: unknown): Draft<JSONSchemaProps> {
  const schema = decode(JSONSchemaProps, value) as Draft<JSONSchemaProps>;
  settleSchema(schema);
  return schema;
}

function isFullList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
