import { DecodeError } from "../../meta/decode.ts";
import { maxValues } from "../../meta/json.ts";
import { additionalOf, itemsOf } from "../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { setOwn } from "../../meta/decode.ts";
import { isObject } from "../../util/is-object.ts";

type Schema = JSONSchemaProps | undefined;
/** Returns the schema of one field; undefined without one. */
function fieldSchema(schema: Schema, key: string): Schema {
  const properties = schema?.properties ?? {};
  if (Object.hasOwn(properties, key)) return properties[key];
  return schema === undefined ? undefined : additionalOf(schema);
}

/** Reports whether a null is not nullable and so counts as absent. */
function isAbsent(value: unknown, schema: Schema): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

/**
 * Drops non-nullable nulls without a default, in place (`defaulting.PruneNonNullableNullsWithoutDefaults`).
 */
export function dropNulls(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema);
    if (items !== undefined) for (const item of value) dropNulls(item, items);
  } else if (isObject(value) && schema !== undefined) {
    for (const key of Object.keys(value)) {
      const inner = fieldSchema(schema, key);
      if (isAbsent(value[key], inner) && inner?.default === undefined) delete value[key];
      else dropNulls(value[key], inner);
    }
  }
}

/**
 * Sets missing values to their defaults, in place, and also inside defaults (`defaulting.Default`).
 * @throws DecodeError when defaults exceed the number of values in an object: each empty object could get all
 * defaults of a schema.
 */
export function setDefaults(value: unknown, schema: Schema, room = { left: maxValues }): void {
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema);
    if (items === undefined) return;
    for (const [i, item] of value.entries()) {
      if (isAbsent(item, items)) value[i] = defaultOf(items);
      setDefaults(value[i], items, room);
    }
  } else if (isObject(value) && schema !== undefined) {
    for (const [key, property] of defaultsOf(schema)) {
      const present = Object.hasOwn(value, key) ? value[key] : undefined;
      if (present === undefined || isAbsent(present, property)) {
        if (--room.left < 0) throw new DecodeError(`defaults fill in more than ${maxValues} values`);
        setOwn(value, key, defaultOf(property));
      }
    }
    const additional = additionalOf(schema);
    for (const key of Object.keys(value)) {
      const inner = fieldSchema(schema, key);
      if (inner === additional && isAbsent(value[key], inner)) setOwn(value, key, defaultOf(inner));
      setDefaults(value[key], inner, room);
    }
  }
}

type Defaults = readonly (readonly [string, JSONSchemaProps])[];

const known = new WeakMap<JSONSchemaProps, Defaults>();

/** Returns the properties with defaults. The result is cached, because every object of a list uses it. */
function defaultsOf(schema: JSONSchemaProps): Defaults {
  let found = known.get(schema);
  if (found === undefined) {
    found = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined);
    known.set(schema, found);
  }
  return found;
}

/** Returns a fresh copy, because all objects share the schema's own value. */
function defaultOf(schema: Schema): unknown {
  const value = schema?.default ?? null;
  return typeof value === "object" ? structuredClone(value) : value;
}
