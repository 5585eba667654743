import type { JSONSchemaProps } from "../v1/json-schema-props.ts";
import { additionalOf, itemListOf, itemsOf } from "./traverse.ts";

const size = (value: object = {}): number => Object.keys(value).length;

/** Why a schema has no structural form at all; undefined when it has one, which need not be valid. */
export function unsupported(schema: JSONSchemaProps): string | undefined {
  return unsupportedHere(schema) ?? firstOf(partsOf(schema));
}

function firstOf(schemas: readonly JSONSchemaProps[]): string | undefined {
  for (const one of schemas) {
    const problem = unsupported(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unsupportedHere(schema: JSONSchemaProps): string | undefined {
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
