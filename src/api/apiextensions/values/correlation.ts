import { deepEqual } from "../../../util/deep-equal.ts";
import { additionalOf, itemsOf } from "../schema/traverse.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { isObject } from "../../../util/is-object.ts";

type Schema = JSONSchemaProps | undefined;
/**
 * A part of an object and the corresponding part of the old object (apiserver `cel/common.CorrelatedObject`).
 * Fields correspond by name, items only in lists of type map.
 */
export class Correlation {
  readonly old: unknown;
  readonly #schema: JSONSchemaProps;
  readonly #value: unknown;
  readonly #parts = new Map<string | number, Correlation | undefined>();
  #items: OldItems | undefined;
  #isUnchanged: boolean | undefined;

  constructor(schema: JSONSchemaProps, value: unknown, old: unknown) {
    this.#schema = schema;
    this.#value = value;
    this.old = old;
  }

  /** Returns the field's correlation; undefined when the field is new or has no schema. */
  key(name: string): Correlation | undefined {
    return this.#part(name, () => {
      const [value, old] = [this.#value, this.old];
      if (!isObject(value) || !isObject(old)) return undefined;
      if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
      const { properties = {} } = this.#schema;
      const schema = Object.hasOwn(properties, name) ? properties[name] : additionalOf(this.#schema);
      return schema === undefined ? undefined : new Correlation(schema, value[name], old[name]);
    });
  }

  /** Returns the item's correlation; undefined when no old item has the same keys. */
  index(index: number): Correlation | undefined {
    return this.#part(index, () => {
      const schema = itemsOf(this.#schema);
      if (schema === undefined || !Array.isArray(this.#value)) return undefined;
      this.#items ??= new OldItems(this.#schema, this.old);
      const old = this.#items.find(this.#value[index]);
      return old === undefined ? undefined : new Correlation(schema, this.#value[index], old);
    });
  }

  /** Reports whether the value is unchanged. A value without a schema counts as changed, as upstream. */
  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  #part(place: string | number, make: () => Correlation | undefined): Correlation | undefined {
    if (!this.#parts.has(place)) this.#parts.set(place, make());
    return this.#parts.get(place);
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (!isMapList(this.#schema)) return deepEqual(value, old);
      return value.length === old.length && value.every((_, i) => this.index(i)?.isUnchanged === true);
    }
    if (isObject(value) && isObject(old)) {
      const keys = Object.keys(value);
      return (
        keys.length === Object.keys(old).length && keys.every((key) => this.key(key)?.isUnchanged === true)
      );
    }
    return value === old;
  }
}

function isMapList(schema: Schema): schema is JSONSchemaProps {
  return schema?.["x-kubernetes-list-type"] === "map";
}

/** The items of a list of type map, by their keys. The first of several items with the same keys counts. */
export class OldItems {
  readonly #keys: readonly string[];
  readonly #byKeys = new Map<string, unknown>();

  /** Contains no items if the list has another type. */
  constructor(schema: Schema, list: unknown) {
    this.#keys = isMapList(schema) ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
    if (!Array.isArray(list) || this.#keys.length === 0) return;
    for (const item of list) {
      const keys = this.#keysOf(item);
      if (keys !== undefined && !this.#byKeys.has(keys)) this.#byKeys.set(keys, item);
    }
  }

  find(item: unknown): unknown {
    const keys = this.#keysOf(item);
    return keys === undefined ? undefined : this.#byKeys.get(keys);
  }

  /** Returns undefined when a key is missing or not a scalar. */
  #keysOf(item: unknown): string | undefined {
    if (!isObject(item)) return undefined;
    const values = this.#keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null));
    return values.some((value) => typeof value === "object")
      ? undefined
      : values.map((value) => `${typeof value}:${String(value)}`).join("\0");
  }
}
