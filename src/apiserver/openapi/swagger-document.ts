import { fieldsOf, isList } from "../../util/is-object.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { bearerToken, info } from "./document.ts";
import type { Plan } from "./documents.ts";
import type { SchemaObject } from "./schema-object.ts";
import { swaggerPath } from "./swagger-paths.ts";
import { swaggerSchema } from "./swagger-schema.ts";
import { sortedEntries } from "../../util/compare.ts";

/**
 * Merges all OpenAPI 3.0 documents into one Swagger 2.0 document. Other requests have a turn between two
 * documents.
 */
export async function swaggerOf(plans: Iterable<Plan>): Promise<SchemaObject> {
  const definitions: Record<string, SchemaObject> = {};
  const paths: Record<string, SchemaObject> = {};
  for (const { build } of plans) {
    const document = build();
    for (const [path, item] of Object.entries(fieldsOf(document["paths"]))) paths[path] = swaggerPath(item);
    const { schemas } = fieldsOf(document["components"]);
    for (const [name, value] of Object.entries(fieldsOf(schemas))) {
      const schema = fieldsOf(value);
      const known = definitions[name];
      definitions[name] = known === undefined ? definitionOf(schema) : withKinds(known, schema);
    }
    await yieldToSockets();
  }
  return {
    swagger: "2.0",
    info,
    paths: sorted(paths),
    definitions: sorted(definitions),
    securityDefinitions: { BearerToken: bearerToken },
    security: [{ BearerToken: [] }],
  };
}

const kinds = "x-kubernetes-group-version-kind";

/**
 * Describes an object that preserves unknown fields without properties, because kubectl would refuse
 * undescribed ones.
 */
function definitionOf(schema: SchemaObject): SchemaObject {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true && kinds in schema;
  return isOpen ? { type: "object", [kinds]: schema[kinds] } : swaggerSchema(schema);
}

/**
 * Merges the kinds of a definition that two documents share: they differ only in these, because each lists
 * its own group.
 */
function withKinds(known: SchemaObject, schema: SchemaObject): SchemaObject {
  const all = [...kindsOf(known), ...kindsOf(schema)].map((kind) => [JSON.stringify(kind), kind] as const);
  return all.length === 0 ? known : { ...known, [kinds]: [...new Map(all).values()] };
}

function kindsOf(schema: SchemaObject): readonly unknown[] {
  const all = schema[kinds];
  return isList(all) ? all : [];
}

function sorted(record: Readonly<Record<string, SchemaObject>>): SchemaObject {
  return Object.fromEntries(sortedEntries(record));
}
