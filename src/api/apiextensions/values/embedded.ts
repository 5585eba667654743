import { decode, DecodeError } from "../../../meta/decode.ts";
import { type FieldError, type FieldPath, invalid, requiredValue } from "../../../meta/field-error.ts";
import { parseGroupVersion } from "../../../meta/kind.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { label1035Problems } from "../../../meta/validation/dns.ts";
import { validateObjectMeta } from "../../../meta/validation/object-meta.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { additionalOf, itemsOf } from "../schema/traverse.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { ownValue } from "../../../util/table.ts";
import { isObject } from "../../../util/is-object.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Yields the errors of embedded objects, which have their own kind and metadata (apiextensions-apiserver
 * `schema/objectmeta`). If a field has the wrong type, only these errors are reported.
 */
export function* validateEmbedded(
  value: unknown,
  schema: JSONSchemaProps,
  path: FieldPath,
  isResource = false,
): Generator<FieldError> {
  const objects = [...embeddedObjects(value, schema, path, isResource)];
  for (const [object, place] of objects) {
    const mismatch = typeMismatch(object, place);
    if (mismatch !== undefined) {
      yield mismatch;
      return;
    }
  }
  for (const [object, place] of objects) yield* validateObject(object, place);
}

/** Yields the embedded objects of a value with their paths, the outermost first. */
export function* embeddedObjects(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  path: FieldPath,
  isResource = false,
): Generator<readonly [Json, FieldPath]> {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* embeddedObjects(item, itemsOf(schema), path.index(i));
    return;
  }
  if (!isObject(value)) return;
  if (isResource || schema["x-kubernetes-embedded-resource"] === true) yield [value, path];
  const additional = additionalOf(schema);
  for (const [key, inner] of Object.entries(value)) {
    const property = ownValue(schema.properties, key);
    if (property !== undefined) yield* embeddedObjects(inner, property, path.child(key));
    else yield* embeddedObjects(inner, additional, path.key(key));
  }
}

/** Returns the first field of an object's metadata, kind or apiVersion with the wrong type. */
export function typeMismatch(object: Json, path: FieldPath): FieldError | undefined {
  for (const name of ["apiVersion", "kind"]) {
    const value = object[name];
    if (value !== undefined && typeof value !== "string") {
      return invalid(path.child(name), value, "must be a string");
    }
  }
  try {
    decode(ObjectMeta, object["metadata"] ?? {});
    return undefined;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return invalid(path.child("metadata"), object["metadata"], error.message);
  }
}

interface Named {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
}

function* validateObject({ apiVersion, kind, metadata }: Named, path: FieldPath): Generator<FieldError> {
  if (apiVersion === undefined) yield requiredValue(path.child("apiVersion"));
  else if (apiVersion === "") yield invalid(path.child("apiVersion"), "", "must not be empty");
  else if (parseGroupVersion(apiVersion) === undefined) {
    const problem = `unexpected GroupVersion string: ${apiVersion}`;
    yield invalid(path.child("apiVersion"), apiVersion, problem);
  }
  if (kind === undefined) yield requiredValue(path.child("kind"));
  else if (kind === "") yield invalid(path.child("kind"), "", "must not be empty");
  else {
    const problems = label1035Problems(kind.toLowerCase()).join(",");
    const text = `may have mixed case, but should otherwise match: ${problems}`;
    if (problems !== "") yield invalid(path.child("kind"), kind, text);
  }
  if (metadata === undefined) return;
  const decoded = decode(ObjectMeta, metadata);
  const named = { ...decoded, name: decoded.name ?? "fakename" };
  const namespaced = decoded.namespace !== undefined;
  yield* validateObjectMeta(named, { namespaced }, pathSegmentProblems, path.child("metadata"));
}
