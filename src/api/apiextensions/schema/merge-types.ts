import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { itemsOf } from "./traverse.ts";
import { repeats } from "../../../util/repeats.ts";
import { ownValue } from "../../../util/table.ts";

/** Validates that the merge types of lists and objects are possible for their items and fields. */

export function* validateMergeTypes(
  schema: JSONSchemaProps,
  path: FieldPath,
  { requireMapKeys }: { readonly requireMapKeys: boolean },
): Generator<FieldError> {
  const { type } = schema;
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  if (mapType !== undefined) {
    if (type !== "object")
      yield wrongType(type, "must be object if x-kubernetes-map-type is specified", path);
    if (mapType !== "atomic" && mapType !== "granular") {
      yield notSupported(path.child("x-kubernetes-map-type"), mapType, ["atomic", "granular"]);
    }
  }
  if (listType !== undefined) {
    if (type !== "array") yield wrongType(type, "must be array if x-kubernetes-list-type is specified", path);
    if (listType !== "atomic" && listType !== "set" && listType !== "map") {
      yield notSupported(path.child("x-kubernetes-list-type"), listType, ["atomic", "set", "map"]);
    }
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && listType !== "map") {
    const place = path.child("x-kubernetes-list-type");
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    yield listType === undefined ? requiredValue(place, detail) : invalid(place, listType, detail);
  }
  if (listType === "map") yield* validateMapList(schema, keys, path);
  if (requireMapKeys) yield* validateMapKeys(schema, path);
}

function wrongType(type: string | undefined, detail: string, path: FieldPath): FieldError {
  const place = path.child("type");
  return type === undefined ? requiredValue(place, detail) : invalid(place, type, detail);
}

function* validateMapList(
  schema: JSONSchemaProps,
  keys: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("x-kubernetes-list-map-keys");
  const items = itemsOf(schema);
  if (keys.length === 0) {
    yield requiredValue(place, "must not be empty if x-kubernetes-list-type is map");
  }
  if (schema.items === undefined) {
    yield requiredValue(path.child("items"), "must have a schema if x-kubernetes-list-type is map");
  } else if (items === undefined) {
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    yield invalid(path.child("items"), schema.items, detail);
  } else if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    yield invalid(path.child("items", "type"), items.type ?? "", detail);
  } else {
    const repeated = repeats(keys);
    for (const [i, key] of keys.entries()) {
      const type = ownValue(items.properties, key)?.type;
      if (ownValue(items.properties, key) === undefined) {
        yield invalid(place, keys, "entries must all be names of item properties");
      } else if (type === "array" || type === "object") {
        const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        yield invalid(path.child("items", "properties").key(key).child("type"), items.type, detail);
      }
      if (repeated.has(i)) yield invalid(place, keys, "must not contain duplicate entries");
    }
  }
}

/**
 * Requires that items of a set are scalars or atomic, because server-side apply identifies an item by its
 * whole value.
 */
export function* validateSetItems(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  const items = itemsOf(schema);
  if (schema.type !== "array" || schema["x-kubernetes-list-type"] !== "set" || items === undefined) return;
  const place = path.child("items");
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    yield invalid(place.child("x-kubernetes-list-type"), listType, detail);
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    yield invalid(place.child("x-kubernetes-map-type"), listType, detail);
  }
}

/** Forbids null items of maps and sets, and requires that items of maps have all keys. */
export function* validateMapKeys(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  const listType = schema["x-kubernetes-list-type"];
  const items = itemsOf(schema);
  if (items === undefined || (listType !== "map" && listType !== "set")) return;
  const place = path.child("items");
  if (items.nullable === true) {
    yield forbidden(place.child("nullable"), `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType === "set") return;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = ownValue(items.properties, key);
    if (property === undefined) continue;
    const own = place.child("properties").key(key);
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (property.default === undefined && items.required?.includes(key) !== true) {
      yield requiredValue(own.child("default"), `${why} must have a default or be a required property`);
    }
    if (property.nullable === true) yield forbidden(own.child("nullable"), `${why} cannot be nullable`);
  }
}
