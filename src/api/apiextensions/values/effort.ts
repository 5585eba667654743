import { deepEqual } from "../../../util/deep-equal.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";

/**
 * Checks of a value by a schema that one validation may make. Alternatives multiply what a value holds by what its
 * schema holds; upstream lets them, and other requests run beside. Four for each value that a body may have.
 */
const mostChecks = 2 ** 18;

/** The remaining checks that one validation may make. */
export class Effort {
  #left = mostChecks;

  /** Takes so many checks; false when fewer are left. */
  takes(checks: number): boolean {
    this.#left -= checks;
    return this.#left >= 0;
  }
}

const enums = new WeakMap<readonly unknown[], (value: unknown) => boolean>();

/** Tells the values of an enum; made once for each, since a list of objects may be checked by a long one. */
export function enumOf(values: readonly unknown[]): (value: unknown) => boolean {
  let known = enums.get(values);
  if (known === undefined) {
    const scalars = new Set(values.filter((one) => typeof one !== "object"));
    const others = values.filter((one) => typeof one === "object");
    known = (value) => scalars.has(value) || others.some((one) => deepEqual(one, value));
    enums.set(values, known);
  }
  return known;
}

type Properties = Readonly<Record<string, JSONSchemaProps>>;

const places = new WeakMap<Properties, ReadonlyMap<string, number>>();

/** The properties that a value has, in the schema's order. Of a schema with many, only those are looked at. */
export function presentProperties(
  properties: Properties,
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): readonly (readonly [string, JSONSchemaProps])[] {
  let order = places.get(properties);
  if (order === undefined) {
    order = new Map(Object.keys(properties).map((name, place) => [name, place]));
    places.set(properties, order);
  }
  const present = Object.entries(keys.length * 4 > order.size ? properties : pick(properties, keys));
  const placeOf = (name: string) => order.get(name) ?? 0;
  return present.filter(([name]) => Object.hasOwn(value, name)).sort(([a], [b]) => placeOf(a) - placeOf(b));
}

function pick(properties: Properties, keys: readonly string[]): Properties {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return property === undefined ? [] : [[key, property]];
    }),
  );
}
