import { deepEqual } from "../../../util/deep-equal.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";

/**
 * The limit on schema checks in one validation: four for each value that a body may have. The number of
 * checks of alternatives is the product of the sizes of value and schema. Upstream has no limit, because it
 * serves other requests in parallel.
 */
const mostChecks = 2 ** 18;

/** The remaining checks of one validation. */
export class Effort {
  #left = mostChecks;

  /** Consumes checks; returns false when too few remain. */
  takes(checks: number): boolean {
    this.#left -= checks;
    return this.#left >= 0;
  }
}

const enums = new WeakMap<readonly unknown[], (value: unknown) => boolean>();

/**
 * Returns the test for membership in an enum. The test is cached, because a list of objects may be checked by
 * one long enum.
 */
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

/**
 * The properties that a value has, in the schema's order. In a large schema, only the value's keys are looked
 * up.
 */
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
