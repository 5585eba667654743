import { setOwn } from "../../../meta/decode.ts";
import { additionalOf, itemsOf } from "../schema/traverse.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { isObject } from "../../../util/is-object.ts";

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Returns a copy without the fields that the schema does not specify (apiextensions-apiserver
 * `schema/pruning`). Embedded resources keep apiVersion, kind and metadata. `unknown` collects the paths of
 * the removed fields.
 */
export function prune(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResource = false,
  unknown?: string[],
): unknown {
  return pruneAt("", value, schema, isResource, unknown);
}

/** Prunes a whole custom resource. */
export function pruneResource(
  object: object,
  schema: JSONSchemaProps | undefined,
  unknown?: string[],
): Record<string, unknown> {
  return walkObject("", object, schema, { keepsUnknown: keepsUnknownOf(schema), isResource: true, unknown });
}

function keepsUnknownOf(schema: JSONSchemaProps | undefined): boolean {
  return schema?.["x-kubernetes-preserve-unknown-fields"] === true;
}

function pruneAt(
  path: string,
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResource: boolean,
  unknown: string[] | undefined,
): unknown {
  return walk(path, value, schema, { keepsUnknown: keepsUnknownOf(schema), isResource, unknown });
}

interface Mode {
  readonly keepsUnknown: boolean;
  readonly isResource: boolean;
  readonly unknown: string[] | undefined;
}

function walk(path: string, value: unknown, schema: JSONSchemaProps | undefined, mode: Mode): unknown {
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema);
    // A schema that preserves unknown fields also does so in nested lists, until another schema applies.
    const inner = { ...mode, isResource: false };
    return value.map((one, i) =>
      mode.keepsUnknown
        ? walk(below(mode, path, `[${i}]`), one, items, inner)
        : pruneAt(below(mode, path, `[${i}]`), one, items, false, mode.unknown),
    );
  }
  return isObject(value) ? walkObject(path, value, schema, mode) : value;
}

function walkObject(
  path: string,
  value: object,
  schema: JSONSchemaProps | undefined,
  mode: Mode,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const kept = keep(below(mode, path, path === "" ? key : `.${key}`), key, inner, schema, mode);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

/** Builds a path only if paths are collected. */
function below({ unknown }: Mode, path: string, step: string): string {
  return unknown === undefined ? "" : path + step;
}

function keep(
  path: string,
  key: string,
  value: unknown,
  schema: JSONSchemaProps | undefined,
  mode: Mode,
): unknown {
  if (mode.isResource && metaFields.has(key)) return value;
  // Defaulting may write into the copy.
  const isEmbedded = schema?.["x-kubernetes-embedded-resource"] === true;
  if (isEmbedded && metaFields.has(key)) return structuredClone(value);
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, key)) return pruneAt(path, value, properties[key], false, mode.unknown);
  if (schema !== undefined && additionalProperties !== undefined)
    return pruneAt(path, value, additionalOf(schema), false, mode.unknown);
  if (mode.keepsUnknown) return value;
  mode.unknown?.push(path);
  return undefined;
}
