import { definitionsPrefix, mapValues, type SchemaObject } from "./schema-object.ts";

/** What 2.0 has in another form, or not at all. */
const rewritten = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "anyOf",
  "default",
  "items",
  "not",
  "nullable",
  "oneOf",
  "properties",
  "required",
  "type",
]);

/**
 * A schema object of OpenAPI 3.0 in the words of 2.0, which has fewer: what it cannot say is left out, so that old
 * clients take what the server takes (apiextensions-apiserver `controller/openapi/v2`, kube-openapi `builder`).
 */
export function swaggerSchema(schema: SchemaObject): SchemaObject {
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !rewritten.has(key)));
  const { $ref = onlyReference(schema["allOf"]), nullable, additionalProperties } = schema;
  if (typeof $ref === "string") return { $ref: $ref.replace(definitionsPrefix, "#/definitions/"), ...rest };
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  // kubectl refuses what it does not find in properties or items.
  const { properties, items } = (nullable === true || isOpen ? {} : schema) as Parts;
  const type = typeOf(schema, isOpen, items !== undefined);
  const required = requiredOf(schema);
  return {
    ...rest,
    ...(type === undefined ? {} : { type }),
    ...(required.length === 0 ? {} : { required }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, swaggerSchema) }),
    ...(items === undefined ? {} : { items: swaggerSchema(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: additional(additionalProperties) }),
  };
}

interface Parts {
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject;
}

/** What stands in a wrapper only so that it can have siblings. */
function onlyReference(allOf: unknown): unknown {
  const [only, ...others] = Array.isArray(allOf) ? (allOf as SchemaObject[]) : [];
  return others.length === 0 ? only?.["$ref"] : undefined;
}

/** Undefined for what kubectl must not look into. */
function typeOf({ type, oneOf, nullable }: SchemaObject, isOpen: boolean, hasItems: boolean): unknown {
  if (nullable === true || (type === "array" && !hasItems) || (isOpen && type === "object")) return undefined;
  if (type !== undefined || !Array.isArray(oneOf)) return type;
  // A quantity, or an integer or string: text can hold either.
  return (oneOf as SchemaObject[]).some((one) => one["type"] === "string") ? "string" : undefined;
}

/** A field that may be null may be left out. */
function requiredOf({ required, properties, additionalProperties }: SchemaObject): readonly string[] {
  if (isNullable(additionalProperties)) return [];
  const fields = (properties ?? {}) as Readonly<Record<string, SchemaObject>>;
  return ((required ?? []) as readonly string[]).filter((name) => !isNullable(fields[name]));
}

function isNullable(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "nullable" in schema && schema.nullable === true;
}

function additional(schema: unknown): unknown {
  return typeof schema === "boolean" ? schema : swaggerSchema(schema as SchemaObject);
}
