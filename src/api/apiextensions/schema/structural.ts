import {
  describe,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { validateCompleteness, validateJunctors } from "./junctors.ts";
import { additionalOf, itemsOf } from "./traverse.ts";
import { unsupported } from "./unsupported.ts";
import { by } from "../../../util/compare.ts";

/**
 * Validates structural schemas (KEP-1693). In a structural schema, every value has a type outside of `allOf`,
 * `anyOf`, `oneOf` and `not`, and these only restrict fields that are specified outside of them. Pruning,
 * defaulting and publishing require a structural schema. Follows `pkg/apiserver/schema/validation.go` of
 * apiextensions-apiserver.
 */

/** The position of a schema, which decides which parts are required. */
type Level = "root" | "item" | "field";

const missingType = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
} as const;

/**
 * Returns the errors that keep a schema from being structural, in upstream's order. Requires that
 * `unsupported` found nothing.
 */
export function validateStructural(schema: JSONSchemaProps, path: FieldPath): readonly FieldError[] {
  const found = [
    ...validateInvariants(schema, "root", path),
    ...validateCompleteness(schema, schema, path, path),
  ];
  return found.sort(by(describe));
}

/**
 * Remembers the result per schema, because every update of a definition asks about the stored schemas. A
 * checked schema never changes.
 */
const known = new WeakMap<JSONSchemaProps, boolean>();

/** Reports whether a schema is structural. */
export function isStructural(schema: JSONSchemaProps): boolean {
  let found = known.get(schema);
  if (found === undefined) {
    found = unsupported(schema) === undefined && validateStructural(schema, root).length === 0;
    known.set(schema, found);
  }
  return found;
}

/** Remembers the result of a check, for the time when the schema is stored. */
export function noteStructural(schema: JSONSchemaProps, isStructural: boolean): void {
  known.set(schema, isStructural);
}

function* validateInvariants(schema: JSONSchemaProps, level: Level, path: FieldPath): Generator<FieldError> {
  const items = itemsOf(schema);
  if (schema.type === "array" && items === undefined) {
    yield requiredValue(path.child("items"), "must be specified");
  }
  if (items !== undefined) yield* validateInvariants(items, "item", path.child("items"));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* validateInvariants(property, "field", path.child("properties").key(name));
  }
  if (schema.additionalProperties !== undefined) yield* validateAdditional(schema, level, path);
  yield* validateExtensions(schema, path);
  yield* validateJunctors(schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf));
  yield* validateType(schema, level, path);
  yield* validateMeta(schema, level, path);
}

/**
 * Reports whether `anyOf` is the pattern of integer and string, the only types that a junctor may specify.
 */
export function isIntOrString(anyOf: readonly JSONSchemaProps[] = []): boolean {
  return deepEqual(anyOf, [{ type: "integer" }, { type: "string" }]);
}

function* validateAdditional(schema: JSONSchemaProps, level: Level, path: FieldPath): Generator<FieldError> {
  const place = path.child("additionalProperties");
  const additional = additionalOf(schema);
  if (level === "root") yield forbidden(place, "must not be used at the root");
  if (additional !== undefined) yield* validateInvariants(additional, "field", place);
  if (schema["x-kubernetes-embedded-resource"] === true) {
    yield forbidden(place, "must not be used if x-kubernetes-embedded-resource is set");
  }
}

function* validateExtensions(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  if (schema["x-kubernetes-int-or-string"] !== true) return;
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema[name] === true) {
      yield invalid(path.child(name), true, "must be false if x-kubernetes-int-or-string is true");
    }
  }
}

function* validateType(schema: JSONSchemaProps, level: Level, path: FieldPath): Generator<FieldError> {
  const { type } = schema;
  const place = path.child("type");
  const isFree =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    yield type === undefined ? requiredValue(place, detail) : invalid(place, type, detail);
  } else if (type === undefined && !isFree) yield requiredValue(place, missingType[level]);
  if (level === "root" && type !== undefined && type !== "object") {
    yield invalid(place, type, "must be object at the root");
  }
}

/** Forbids constraints on the metadata fields that every object has. */
function* validateMeta(schema: JSONSchemaProps, level: Level, path: FieldPath): Generator<FieldError> {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const checked = level === "root" || isEmbedded;
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (checked && property !== undefined && property.type !== "string") {
      yield invalid(path.child("properties").key(name).child("type"), property.type ?? "", "must be string");
    }
  }
  if (metadata !== undefined) {
    const place = path.child("properties").key("metadata");
    if (checked && metadata.type !== "object") {
      yield invalid(place.child("type"), metadata.type ?? "", "must be object");
    }
    if (level === "root" && !restrictsNameOnly(metadata)) {
      yield forbidden(
        place,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      );
    }
  }
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  if (isEmbedded && schema["x-kubernetes-preserve-unknown-fields"] !== true && isEmpty) {
    yield requiredValue(
      path.child("properties"),
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    );
  }
}

function restrictsNameOnly({ properties = {}, type: _, default: __, ...others }: JSONSchemaProps): boolean {
  const isName = (name: string) => name === "name" || name === "generateName";
  return Object.keys(others).length === 0 && Object.keys(properties).every(isName);
}
