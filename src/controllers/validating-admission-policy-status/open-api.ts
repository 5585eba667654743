import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import type { GroupVersionKind } from "../../meta/kind.ts";
import { fieldsOf, isList, isObject } from "../../util/is-object.ts";
import { ownValue } from "../../util/table.ts";

/** The number of schemas that one kind may consist of, so that references cannot multiply without bound. */
const mostSchemas = 2 ** 16;
const prefix = "#/components/schemas/";

/** The schemas of an OpenAPI 3.0 document by name. */
type Schemas = Readonly<Record<string, unknown>>;

/** A kind's schema refers to more schemas than are read. */
export class SchemaTooLargeError extends Error {
  override readonly name = "SchemaTooLargeError";
}

/**
 * The schema of a kind in an OpenAPI 3.0 document, with its references replaced, as far as it determines the types of
 * values (`apiserver/pkg/cel/openapi/resolver`). Undefined when the document does not have the kind.
 * @throws SchemaTooLargeError
 */
export function schemaOfKind(document: unknown, wanted: GroupVersionKind): JSONSchemaProps | undefined {
  const schemas = fieldsOf(fieldsOf(fieldsOf(document)["components"])["schemas"]);
  for (const [name, schema] of Object.entries(schemas)) {
    if (describes(schema, wanted)) return new Expansion(schemas).expand({ $ref: prefix + name });
  }
  return undefined;
}

function describes(schema: unknown, { group, version, kind }: GroupVersionKind): boolean {
  const kinds = fieldsOf(schema)["x-kubernetes-group-version-kind"];
  return (
    isList(kinds) &&
    kinds
      .map(fieldsOf)
      .some((one) => one["group"] === group && one["version"] === version && one["kind"] === kind)
  );
}

class Expansion {
  readonly #schemas: Schemas;
  /** The references that are being replaced. */
  readonly #above = new Set<string>();
  #count = 0;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  expand(schema: unknown): JSONSchemaProps {
    if (++this.#count > mostSchemas) {
      throw new SchemaTooLargeError(`Cannot read the schema: it has more than ${mostSchemas} parts`);
    }
    const target = referenceOf(schema);
    if (target === undefined) return this.#expanded(fieldsOf(schema));
    // A schema that contains itself is an object without known fields there.
    if (this.#above.has(target)) return { type: "object" };
    this.#above.add(target);
    const resolved = this.#expanded(fieldsOf(ownValue(this.#schemas, target.slice(prefix.length))));
    this.#above.delete(target);
    return resolved;
  }

  #expanded(schema: Schemas): JSONSchemaProps {
    const { type, format, items, properties, additionalProperties } = schema;
    return {
      ...(typeof type === "string" && { type }),
      ...(typeof format === "string" && { format }),
      ...(isObject(items) && { items: this.expand(items) }),
      ...(isObject(properties) && { properties: this.#properties(properties) }),
      ...(isObject(additionalProperties) && { additionalProperties: this.expand(additionalProperties) }),
      ...(schema["x-kubernetes-embedded-resource"] === true && { "x-kubernetes-embedded-resource": true }),
      // Built-in kinds have the format, and custom resources the extension.
      ...((format === "int-or-string" || schema["x-kubernetes-int-or-string"] === true) && {
        "x-kubernetes-int-or-string": true,
      }),
    };
  }

  #properties(properties: Schemas): Readonly<Record<string, JSONSchemaProps>> {
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]): [string, JSONSchemaProps] => [
        name,
        this.expand(schema),
      ]),
    );
  }
}

/** The schema that a schema refers to: directly, or in `allOf`, which keeps its description. */
function referenceOf(schema: unknown): string | undefined {
  const { $ref, allOf } = fieldsOf(schema);
  if (typeof $ref === "string") return $ref;
  if (!isList(allOf)) return undefined;
  return allOf.map(referenceOf).find((one) => one !== undefined);
}
