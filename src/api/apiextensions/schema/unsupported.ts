import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { effortOfPattern } from "../../../util/pattern-effort.ts";
import { additionalOf, itemListOf, itemsOf } from "./traverse.ts";

const size = (value: object = {}): number => Object.keys(value).length;

/**
 * What reading all patterns of a schema may take together, in steps (`effortOfPattern`): about a tenth of a second.
 * Upstream reads as many as there are.
 */
const mostPatternEffort = 2 ** 21;

/** Why a schema has no structural form at all; undefined when it has one, which need not be valid. */
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
  const uses: Readonly<Record<string, boolean>> = {
    id: schema.id !== undefined,
    schema: schema.$schema !== undefined,
    $ref: (schema.$ref ?? "") !== "",
    patternProperties: size(schema.patternProperties) > 0,
    dependencies: schema.dependencies !== undefined,
    additionalItems: schema.additionalItems !== undefined,
    definitions: size(schema.definitions) > 0,
  };
  for (const [name, isUsed] of Object.entries(uses)) {
    if (isUsed) return `OpenAPIV3Schema '${name}' is not supported`;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return itemListOf(schema).length > 0
    ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
    : undefined;
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
