import { additionalOf, itemsOf } from "../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { spend } from "../cel/effort.ts";
import { escapeName } from "../cel/shape/escaping.ts";
import {
  boolShape,
  bytesShape,
  dateShape,
  dateTimeShape,
  doubleShape,
  durationShape,
  intOrStringShape,
  intShape,
  stringShape,
} from "../cel/shape/scalars.ts";
import { type ListOrder, listShape, mapShape, objectShape, type Shape } from "../cel/shape/shape.ts";

/**
 * The CEL type of a schema's values, and the least size of such a value
 * (`apiserver/pkg/cel/common/schemas.go`).
 */
export interface SizedShape {
  readonly shape: Shape;
  /** Bytes of JSON. The size bounds the number of values in a request. */
  readonly minSize: number;
}

/** The size of a request in cost estimates, in bytes, whatever the server's limit. */
export const maxRequestSize = 3 * 1024 * 1024;

/** Without the quotes, or the brackets. */
const maxContent = maxRequestSize - 2;
/** Each schema with rules has its own types for everything in it, so deep schemas have very many types. */
const stepsPerSchema = 20;

/**
 * Returns undefined for values that rules cannot read, such as those without a type in the schema. Objects
 * have types of their own, whose names begin with `name`. @throws BudgetExceeded
 */
export function shapeOf(
  schema: JSONSchemaProps,
  isRoot: boolean,
  name = "selfType1",
): SizedShape | undefined {
  spend(stepsPerSchema);
  if (schema["x-kubernetes-int-or-string"] === true) {
    return nullable(schema, { shape: intOrStringShape(charactersOf(schema) ?? maxContent), minSize: 1 });
  }
  const sized = typedShape(isRoot ? withMetadata(schema) : schema, name);
  return sized && nullable(schema, sized);
}

function nullable({ nullable = false }: JSONSchemaProps, { shape, minSize }: SizedShape): SizedShape {
  return { shape: { ...shape, nullable }, minSize };
}

function typedShape(schema: JSONSchemaProps, name: string): SizedShape | undefined {
  switch (schema.type) {
    case "array":
      return shapeOfList(schema, name);
    case "object":
      return additionalOf(schema) === undefined ? shapeOfObject(schema, name) : shapeOfMap(schema, name);
    case "string":
      return shapeOfString(schema);
    case "boolean":
      return { shape: boolShape, minSize: 4 };
    case "number":
      return { shape: doubleShape, minSize: 1 };
    case "integer":
      return { shape: intShape, minSize: 1 };
    default:
      return undefined;
  }
}

function shapeOfList(schema: JSONSchemaProps, name: string): SizedShape | undefined {
  const items = itemsOf(schema);
  const sized = items && shapeOf(items, isResource(items), `${name}.@idx`);
  if (sized === undefined) return undefined;
  const most = Math.floor(maxContent / (sized.minSize + 1));
  return { shape: listShape(sized.shape, limit(schema.maxItems) ?? most, orderOf(schema)), minSize: 2 };
}

function orderOf(schema: JSONSchemaProps): ListOrder {
  const type = schema["x-kubernetes-list-type"];
  if (type === "map") return { keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  return type === "set" ? "set" : "atomic";
}

function shapeOfMap(schema: JSONSchemaProps, name: string): SizedShape | undefined {
  const values = additionalOf(schema);
  const sized = values && shapeOf(values, isResource(values), `${name}.@elem`);
  if (sized === undefined) return undefined;
  // An empty key, a colon, a comma and the value.
  const most = Math.floor(maxContent / (sized.minSize + 6));
  return { shape: mapShape(sized.shape, limit(schema.maxProperties) ?? most), minSize: 2 };
}

function shapeOfObject({ properties = {}, required = [] }: JSONSchemaProps, name: string): SizedShape {
  const shapes: Record<string, Shape> = {};
  const needed = new Set(required);
  let minSize = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const sized = shapeOf(schema, isResource(schema), `${name}.${escapeName(property) ?? property}`);
    if (sized === undefined) continue;
    shapes[property] = sized.shape;
    // A property with a default need not be sent.
    if (needed.has(property) && schema.default === undefined) {
      minSize += Buffer.byteLength(property) + sized.minSize + 4;
    }
  }
  return { shape: objectShape(name, shapes), minSize };
}

function shapeOfString(schema: JSONSchemaProps): SizedShape {
  switch (schema.format) {
    case "byte":
      return { shape: bytesShape(limit(schema.maxLength) ?? maxContent), minSize: 2 };
    case "duration":
      return { shape: durationShape, minSize: 3 };
    case "date":
      return { shape: dateShape, minSize: 12 };
    case "date-time":
      return { shape: dateTimeShape, minSize: 21 };
    default:
      return { shape: stringShape(charactersOf(schema) ?? longestOf(schema) ?? maxContent), minSize: 2 };
  }
}

/** A character takes up to four bytes. */
function charactersOf({ maxLength }: JSONSchemaProps): number | undefined {
  return maxLength === undefined ? undefined : Math.max(maxLength, 0) * 4;
}

function longestOf({ enum: values = [] }: JSONSchemaProps): number | undefined {
  if (values.length === 0) return undefined;
  return Math.max(...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
}

function limit(most: number | undefined): number | undefined {
  return most === undefined ? undefined : Math.max(most, 0);
}

export function isResource(schema: JSONSchemaProps): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

const text: JSONSchemaProps = { type: "string" };
const metadata: JSONSchemaProps = { type: "object", properties: { name: text, generateName: text } };

/** Adds kind and name, which objects have whether or not their schema lists them. */
function withMetadata(schema: JSONSchemaProps): JSONSchemaProps {
  const { properties = {} } = schema;
  const { kind, apiVersion, metadata: own } = properties;
  const { name, generateName } = own?.properties ?? {};
  const isKnown = [kind, apiVersion, name, generateName].every((one) => one?.type === "string");
  if (isKnown && own?.type === "object") return schema;
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}
