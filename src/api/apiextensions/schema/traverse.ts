import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";

/** The schema of a list's items; undefined without one, or with one schema for each position. */
export function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return items === undefined || isList(items) ? undefined : items;
}

/** The schemas of a list's items by position. Such schemas are not supported, but validation visits them. */
export function itemListOf({ items }: JSONSchemaProps): readonly JSONSchemaProps[] {
  return items !== undefined && isList(items) ? items : [];
}

/** The schema of fields that `properties` does not name; undefined if it is absent or a boolean. */
export function additionalOf({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** A schema and all schemas below it. */
export function* everySchema(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  yield schema;
  for (const inner of innerSchemas(schema)) yield* everySchema(inner);
}

function* innerSchemas(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  const { not, additionalItems, allOf = [], anyOf = [], oneOf = [] } = schema;
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  if (items !== undefined) yield items;
  yield* itemListOf(schema);
  yield* [...allOf, ...anyOf, ...oneOf];
  if (not !== undefined) yield not;
  if (additional !== undefined) yield additional;
  if (typeof additionalItems === "object") yield additionalItems;
  for (const name of ["properties", "patternProperties", "definitions"] as const) {
    yield* Object.values(schema[name] ?? {});
  }
  for (const one of Object.values(schema.dependencies ?? {})) {
    if (one !== null && !isNames(one)) yield one;
  }
}

function isNames(value: JSONSchemaProps | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}
