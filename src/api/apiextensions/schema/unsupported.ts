import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { effortOfPattern } from "../../../util/pattern-effort.ts";
import { additionalOf, itemListOf, itemsOf } from "./traverse.ts";

const size = (value: object | undefined): number => (value === undefined ? 0 : Object.keys(value).length);

/**
 * The limit on steps for compiling all patterns of a schema (`effortOfPattern`), about a tenth of a second.
 * Upstream has no limit.
 */
const mostPatternEffort = 2 ** 21;

/**
 * Returns the reason why a schema cannot be converted to structural form; undefined if it can. A convertible
 * schema can still be invalid.
 */
export function unsupported(schema: JSONSchemaProps): string | undefined {
  return unsupportedIn(schema, { patterns: mostPatternEffort });
}

interface Left {
  patterns: number;
}

function unsupportedIn(schema: JSONSchemaProps, left: Left): string | undefined {
  const here = unsupportedHere(schema, left);
  if (here !== undefined) return here;
  for (const one of partsOf(schema)) {
    const problem = unsupportedIn(one, left);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unsupportedHere(schema: JSONSchemaProps, left: Left): string | undefined {
  if (schema.pattern !== undefined) left.patterns -= effortOfPattern(schema.pattern);
  if (left.patterns < 0) return "OpenAPIV3Schema has patterns that are too large together";
  const keyword = unsupportedKeyword(schema);
  if (keyword !== undefined) return `OpenAPIV3Schema '${keyword}' is not supported`;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return itemListOf(schema).length > 0
    ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
    : undefined;
}

function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  if (schema.id !== undefined) return "id";
  if (schema.$schema !== undefined) return "schema";
  if ((schema.$ref ?? "") !== "") return "$ref";
  if (size(schema.patternProperties) > 0) return "patternProperties";
  if (schema.dependencies !== undefined) return "dependencies";
  if (schema.additionalItems !== undefined) return "additionalItems";
  return size(schema.definitions) > 0 ? "definitions" : undefined;
}

function partsOf(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const { not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const single = [itemsOf(schema), additionalOf(schema)].filter((one) => one !== undefined);
  return [
    ...(not === undefined ? [] : [not]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...single,
    ...Object.values(properties),
  ];
}
