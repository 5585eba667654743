import { listOf, mapOf, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import type { Result } from "../values.ts";

/**
 * The form of JSON as its schema describes it. The checker's types and the sizes for cost estimates
 * (`types.ts`) and the values in an expression (`values.ts`) are derived from a shape. The caller converts
 * its schema to a shape.
 */
export type Shape = ScalarShape | ListShape | MapShape | ObjectShape;

interface Common {
  readonly type: Type;
  /** The maximum number of characters, bytes, items or properties; 0 for values without a size. */
  readonly maxSize: number;
  readonly nullable: boolean;
}

export interface ScalarShape extends Common {
  readonly kind: "scalar";
  /** Converts JSON that is not null to a value. */
  readonly read: (json: unknown) => Result;
}

/**
 * The semantics of a list in comparisons and sums (`x-kubernetes-list-type`): ordered, a set, or identified
 * by keys of its items.
 */
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
  /**
   * The properties by unescaped name. Properties without a shape cannot be read, but they count in
   * comparisons of objects.
   */
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

/** Makes the shape of an object. The name must be unique among the shapes of one environment. */
export const objectShape = (name: string, properties: Readonly<Record<string, Shape>>): ObjectShape => ({
  kind: "object",
  type: objectType(name),
  maxSize: 0,
  nullable: false,
  properties: new Map(Object.entries(properties)),
});
