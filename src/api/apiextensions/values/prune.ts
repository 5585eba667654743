import { setOwn } from "../../../meta/decode.ts";
import { additionalOf, itemsOf } from "../schema/traverse.ts";
import type { JSONSchemaProps } from "../v1/json-schema-props.ts";

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

type Json = Readonly<Record<string, unknown>>;

/**
 * A copy without fields that the schema does not know (apiextensions-apiserver `schema/pruning`). Objects that
 * have metadata of their own keep the fields that all such objects have.
 */
export function prune(value: unknown, schema: JSONSchemaProps | undefined, isResource = false): unknown {
  const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  return walk(value, schema, { keepsUnknown, isResource });
}

interface Mode {
  readonly keepsUnknown: boolean;
  readonly isResource: boolean;
}

function walk(value: unknown, schema: JSONSchemaProps | undefined, mode: Mode): unknown {
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema);
    // What keeps unknown fields does so in lists of lists as well, until a schema says more.
    return value.map((one) =>
      mode.keepsUnknown ? walk(one, items, { keepsUnknown: true, isResource: false }) : prune(one, items),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value as Json)) {
    const kept = keep(key, inner, schema, mode);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function keep(key: string, value: unknown, schema: JSONSchemaProps | undefined, mode: Mode): unknown {
  const isResource = mode.isResource || schema?.["x-kubernetes-embedded-resource"] === true;
  if (isResource && metaFields.has(key)) return value;
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, key)) return prune(value, properties[key]);
  if (schema !== undefined && additionalProperties !== undefined) return prune(value, additionalOf(schema));
  return mode.keepsUnknown ? value : undefined;
}
