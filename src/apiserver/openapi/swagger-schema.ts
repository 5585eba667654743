import { fieldsOf, isList } from "../../util/is-object.ts";
import { definitionsPrefix, mapValues, objectsIn, type SchemaObject } from "./schema-object.ts";

/** Fields that Swagger 2.0 lacks, or has in another form. */
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
 * Converts a schema object from OpenAPI 3.0 to Swagger 2.0. Features that 2.0 lacks are dropped, so that old
 * clients accept what the server accepts (apiextensions-apiserver `controller/openapi/v2`, kube-openapi
 * `builder`).
 */
export function swaggerSchema(value: unknown): SchemaObject {
  const schema = fieldsOf(value);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !rewritten.has(key)));
  const { $ref = onlyReference(schema["allOf"]), nullable, additionalProperties } = schema;
  if (typeof $ref === "string") return { $ref: $ref.replace(definitionsPrefix, "#/definitions/"), ...rest };
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  // kubectl refuses fields that are not in properties or items.
  const { properties, items }: SchemaObject = nullable === true || isOpen ? {} : schema;
  const type = typeOf(schema, isOpen, items !== undefined);
  const required = requiredOf(schema);
  return {
    ...rest,
    ...(type === undefined ? {} : { type }),
    ...(required.length === 0 ? {} : { required }),
    ...(properties === undefined ? {} : { properties: mapValues(fieldsOf(properties), swaggerSchema) }),
    ...(items === undefined ? {} : { items: swaggerSchema(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: additional(additionalProperties) }),
  };
}

/** Returns the reference in a wrapper that exists only for its siblings. */
function onlyReference(allOf: unknown): unknown {
  const [only, ...others] = objectsIn(allOf);
  return others.length === 0 ? only?.["$ref"] : undefined;
}

/** Returns undefined for values that kubectl must not validate. */
function typeOf({ type, oneOf, nullable }: SchemaObject, isOpen: boolean, hasItems: boolean): unknown {
  if (nullable === true || (type === "array" && !hasItems) || (isOpen && type === "object")) return undefined;
  if (type !== undefined || !Array.isArray(oneOf)) return type;
  // A quantity, or an integer or string: a string can hold any of them.
  return objectsIn(oneOf).some((one) => one["type"] === "string") ? "string" : undefined;
}

/** A nullable field is not required. */
function requiredOf({ required, properties, additionalProperties }: SchemaObject): readonly string[] {
  if (isNullable(additionalProperties)) return [];
  const names = isList(required) ? required.filter((name) => typeof name === "string") : [];
  return names.filter((name) => !isNullable(fieldsOf(properties)[name]));
}

function isNullable(schema: unknown): boolean {
  return fieldsOf(schema)["nullable"] === true;
}

function additional(schema: unknown): unknown {
  return typeof schema === "boolean" ? schema : swaggerSchema(schema);
}
