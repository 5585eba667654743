import { listOf, mapOf, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import type { Result } from "../values.ts";

/**
 * What JSON looks like according to its schema. From a shape follow the types that the checker sees
 * and the sizes that costs are estimated from (`types.ts`) and the values that an expression sees
 * (`values.ts`). Who has a schema makes a shape of it.
 */
export type Shape = ScalarShape | ListShape | MapShape | ObjectShape;

interface Common {
  readonly type: Type;
  /** How many characters, bytes, items or properties there can be; 0 for what has no size. */
  readonly maxSize: number;
  readonly nullable: boolean;
}

export interface ScalarShape extends Common {
  readonly kind: "scalar";
  /** The value of JSON that is not null. */
  readonly read: (json: unknown) => Result;
}

/** How a list is compared and added (`x-kubernetes-list-type`): in order, as a set, or by keys of its items. */
export type ListOrder = "atomic" | "set" | { readonly keys: readonly string[] };

export interface ListShape extends Common {
  readonly kind: "list";
  readonly items: Shape;
  readonly order: ListOrder;
}

/** Properties of any name, all of one shape. */
export interface MapShape extends Common {
  readonly kind: "map";
  readonly values: Shape;
}

export interface ObjectShape extends Common {
  readonly kind: "object";
  /** By name, not escaped. Those without a shape cannot be read, but count when objects are compared. */
  readonly properties: ReadonlyMap<string, Shape>;
}

export const listShape = (items: Shape, maxSize: number, order: ListOrder = "atomic"): ListShape => ({
  kind: "list",
  type: listOf(items.type),
  maxSize,
  nullable: false,
  items,
  order,
});

export const mapShape = (values: Shape, maxSize: number): MapShape => ({
  kind: "map",
  type: mapOf(string, values.type),
  maxSize,
  nullable: false,
  values,
});

/** The name must be unique among the shapes of one environment. */
export const objectShape = (name: string, properties: Readonly<Record<string, Shape>>): ObjectShape => ({
  kind: "object",
  type: objectType(name),
  maxSize: 0,
  nullable: false,
  properties: new Map(Object.entries(properties)),
});
