import { isIntOrString } from "../../api/apiextensions/schema/structural.ts";
import { additionalOf, itemsOf } from "../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { ObjectMeta } from "../../meta/v1.ts";
import { type Definer, mapValues, type SchemaObject } from "./schema-object.ts";
import { typeMeta } from "./type-meta.ts";

/**
 * Returns the definition of a custom resource: its schema with the fields of all objects and with extensions
 * (apiextensions-apiserver `controller/openapi/builder`).
 */
export function customDefinition(schema: JSONSchemaProps | undefined, definitions: Definer): SchemaObject {
  // Without a schema nothing is known about the fields.
  if (schema === undefined) return { type: "object" };
  const { properties, ...others } = unfold(schema, definitions);
  return { ...others, properties: { ...properties, ...metaProperties(definitions) } };
}

function metaProperties(definitions: Definer): Readonly<Record<string, SchemaObject>> {
  const metadata = { allOf: [definitions.refer(ObjectMeta)], description: "Standard object's metadata." };
  return { ...typeMeta, metadata };
}

interface Unfolded extends SchemaObject {
  readonly properties?: Readonly<Record<string, SchemaObject>>;
}

function unfold(schema: JSONSchemaProps, definitions: Definer): Unfolded {
  const { properties, required = [], ...others } = schema;
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const fields = {
    ...mapValues(properties ?? {}, (one) => unfold(one, definitions)),
    ...(isEmbedded ? metaProperties(definitions) : {}),
  };
  const needed = isEmbedded ? [...new Set([...required, "kind", "apiVersion"])] : required;
  return {
    ...others,
    ...(items === undefined ? {} : { items: unfold(items, definitions) }),
    ...(additional === undefined ? {} : { additionalProperties: unfold(additional, definitions) }),
    ...(properties === undefined && !isEmbedded ? {} : { properties: fields }),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...typesOf(schema),
  };
}

const integerOrString = [{ type: "integer" }, { type: "string" }];

/** Returns the types of an int-or-string value, unless the schema lists them itself. */
function typesOf(schema: JSONSchemaProps): SchemaObject {
  if (schema["x-kubernetes-int-or-string"] !== true) return {};
  const { anyOf, allOf = [] } = schema;
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf)) return {};
  return anyOf === undefined ? { anyOf: integerOrString } : { allOf: [{ anyOf: integerOrString }, ...allOf] };
}
