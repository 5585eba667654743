import { additionalOf, itemsOf } from "../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import {
  atomicMap,
  boolean,
  type Field,
  type ForeignSchema,
  int64,
  intOrString,
  json,
  keyed,
  list,
  map,
  type MessageType,
  optional,
  pointer,
  type ScalarType,
  set,
  string,
  type Type,
} from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";
import { table } from "../../util/table.ts";

/**
 * Converts a structural schema into the schema language, as far as server-side apply needs it: the parts of a
 * value with their own owners (kube-openapi `schemaconv`). Zero values are never filled in.
 */
export function rootMessage(
  name: string,
  schema: JSONSchemaProps | undefined,
  foreign: ForeignSchema,
): MessageType {
  const keeps = schema === undefined || keepsUnknown(schema);
  const fields = fieldsOf(schema, keeps);
  for (const meta of ["apiVersion", "kind"]) fields.delete(meta);
  fields.set("metadata", optional(0, ObjectMeta, "Standard object's metadata."));
  return { ...message(name, schema?.description ?? "", fields, keeps), foreign };
}

const number: ScalarType<number> = { kind: "scalar", name: "double" };
const scalars: Readonly<Record<string, Type>> = table({ boolean, integer: int64, number, string });

function keepsUnknown(schema: JSONSchemaProps): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

/** `inherited` is true below a schema that preserves unknown fields. */
function typeOf(schema: JSONSchemaProps | undefined, inherited: boolean): Type {
  if (schema === undefined) return json;
  const keeps = inherited || keepsUnknown(schema);
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString;
  switch (schema.type) {
    case "object":
      return objectType(schema, keeps);
    case "array":
      return listType(schema, keeps);
    default:
      return scalars[schema.type ?? ""] ?? json;
  }
}

function objectType(schema: JSONSchemaProps, keeps: boolean): Type {
  if (schema["x-kubernetes-map-type"] === "atomic") return atomicMap(json);
  const fields = fieldsOf(schema, keeps);
  if (schema["x-kubernetes-embedded-resource"] === true) {
    fields.set("apiVersion", pointer(0, string, "The object's API version."));
    fields.set("kind", pointer(0, string, "The object's kind."));
    fields.set("metadata", pointer(0, ObjectMeta, "Standard object's metadata."));
  }
  if (fields.size === 0) return map(typeOf(additionalOf(schema), keeps));
  return message("", "", fields, keeps || schema.additionalProperties === true);
}

function listType(schema: JSONSchemaProps, keeps: boolean): Type {
  const of = typeOf(itemsOf(schema), keeps);
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return keyed(of, ...(schema["x-kubernetes-list-map-keys"] ?? []));
    case "set":
      return set(of);
    default:
      return list(of);
  }
}

function fieldsOf(schema: JSONSchemaProps | undefined, keeps: boolean): Map<string, Field> {
  return new Map(
    Object.entries(schema?.properties ?? {}).map(([name, property]): [string, Field] => {
      const { description = "", default: value } = property;
      const options = value === undefined ? {} : { default: value };
      return [name, pointer(0, typeOf(property, keeps), description, options)];
    }),
  );
}

function message(name: string, doc: string, fields: ReadonlyMap<string, Field>, open: boolean): MessageType {
  return { kind: "message", name, doc, fields, declared: fields, atomic: false, open };
}
