import { additionalOf, itemsOf } from "../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { duplicate, type FieldError, type FieldPath, invalid } from "../../meta/field-error.ts";
import { sortKeys, toJson } from "../../meta/json.ts";
import { isObject } from "../../util/is-object.ts";

type Schema = JSONSchemaProps | undefined;
type Json = Readonly<Record<string, unknown>>;

/**
 * Checks that items of sets are unique, and items of maps by their keys (apiextensions-apiserver
 * `schema/listtype`).
 */
export function* validateLists(value: unknown, schema: Schema, path: FieldPath): Generator<FieldError> {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    yield* validateItems(value, schema, path);
    for (const [i, item] of value.entries()) yield* validateLists(item, itemsOf(schema), path.index(i));
  } else if (isObject(value)) {
    const { properties = {} } = schema;
    const additional = additionalOf(schema);
    for (const [key, inner] of Object.entries(value)) {
      if (Object.hasOwn(properties, key)) yield* validateLists(inner, properties[key], path.child(key));
      else yield* validateLists(inner, additional, path.key(key));
    }
  }
}

function* validateItems(
  list: readonly unknown[],
  schema: JSONSchemaProps,
  path: FieldPath,
): Generator<FieldError> {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      yield* validateDistinct(list, path);
      return;
    case "map": {
      const wrong = list.findIndex((item) => item !== null && !isObject(item));
      if (wrong >= 0) {
        const detail = "must be an object for an array of list-type map";
        yield invalid(path.index(wrong), list[wrong], detail);
        return;
      }
      const keys = (schema["x-kubernetes-list-map-keys"] ?? []).toSorted();
      yield* validateDistinct(
        list.map((item) => keysOf(item, keys)),
        path,
      );
    }
  }
}

function keysOf(item: unknown, keys: readonly string[]): Json {
  const object = isObject(item) ? item : {};
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key]]),
  );
}

/** Reports a duplicate at its second position. */
function* validateDistinct(list: readonly unknown[], path: FieldPath): Generator<FieldError> {
  const seen = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    // Equal values have equal texts, whatever the order of their keys.
    const text = toJson(sortKeys(item));
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) yield duplicate(path.index(i), item);
  }
}
