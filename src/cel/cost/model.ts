import { codePoints } from "../text.ts";
import type { Type } from "../type.ts";
import { CelList, CelMap, CelObject, Optional, type Result, type Value } from "../values.ts";
import { exactly, one, plus, type Range, scaled, times } from "./range.ts";

/** The cost of a call without its arguments: the estimate from their known sizes, and the actual cost. */
export interface CostModel {
  readonly estimate: (args: readonly Operand[]) => CallEstimate;
  /** The actual cost. A failed argument has size 1. */
  readonly actual: (args: readonly Result[], result: Result) => number;
}

/** An argument in an estimate. The receiver is the first one. */
export interface Operand {
  readonly type: Type;
  readonly size: Range;
  /** The value, if the argument is a literal. */
  readonly literal?: Value;
  /** The elements, if the argument's type is a list. */
  readonly elements?: { readonly type: Type; readonly size: Range };
}

export interface CallEstimate {
  readonly cost: Range;
  /** The size of a result that is a string, bytes, a list or a map. */
  readonly size?: Range;
}

/**
 * The cost of reading one character or byte, and of matching one character of a pattern with one of a text.
 */
export const perCharacter = 0.1;
const perPatternCharacter = 0.25;

/** The size as `size()` returns it; 1 for a value without a size. */
export function sizeOf(value: Result): number {
  if (typeof value === "string") return codePoints(value);
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

export const sizeAt = (args: readonly Operand[], index: number): Range => args[index]?.size ?? one;
export const actualSizeAt = (args: readonly Result[], index: number): number => sizeOf(args[index] ?? null);

/**
 * The cost of reading each character of an argument `passes` times. The result is at most as long as the
 * argument, if it has a size.
 */
export const traversal = (index: number, passes = 1): CostModel => ({
  estimate: (args) => ({
    cost: scaled(sizeAt(args, index), passes * perCharacter),
    size: sizeAt(args, index),
  }),
  // The operations are in upstream's order, because the last bit can determine the rounding.
  actual: (args) => Math.ceil(actualSizeAt(args, index) * passes * perCharacter),
});

/** The cost of reading a text `passes` times, with a result that has no size. */
export const reading = (index: number, passes = 1): CostModel => ({
  estimate: (args) => ({ cost: scaled(sizeAt(args, index), passes * perCharacter) }),
  actual: traversal(index, passes).actual,
});

/**
 * The cost of testing a prefix or suffix. Upstream estimates by the shorter text, but charges for the longer
 * one.
 */
export const affix: CostModel = {
  estimate: (args) => ({ cost: scaled(sizeAt(args, 1), perCharacter) }),
  actual: traversal(0).actual,
};

/** The cost of searching one text in another. */
export const search: CostModel = {
  estimate: (args) => ({
    cost: times(scaled(sizeAt(args, 0), perCharacter), scaled(sizeAt(args, 1), perCharacter)),
  }),
  actual: (args) =>
    Math.ceil(actualSizeAt(args, 0) * perCharacter) * Math.ceil(actualSizeAt(args, 1) * perCharacter),
};

/**
 * The cost of matching a pattern at every character of a text. One more character is added, so that an empty
 * text is not free.
 */
export const patternSearch: CostModel = {
  estimate: (args) => ({
    cost: times(
      scaled(plus(sizeAt(args, 0), one), perCharacter),
      scaled(sizeAt(args, 1), perPatternCharacter),
    ),
  }),
  actual: (args) =>
    Math.ceil((1 + actualSizeAt(args, 0)) * perCharacter) *
    Math.ceil(actualSizeAt(args, 1) * perPatternCharacter),
};

/** The cost of comparing two values up to the end of the shorter one. */
export const comparison: CostModel = {
  estimate: (args) => {
    const max = Math.min(sizeAt(args, 0).max, sizeAt(args, 1).max);
    return { cost: scaled({ min: Math.min(1, max), max }, perCharacter) };
  },
  actual: (args) => Math.ceil(Math.min(actualSizeAt(args, 0), actualSizeAt(args, 1)) * perCharacter),
};

/** The cost of concatenating two texts. */
export const concatenation: CostModel = {
  estimate: (args) => {
    const size = plus(sizeAt(args, 0), sizeAt(args, 1));
    return { cost: scaled(size, perCharacter), size };
  },
  actual: (args) => Math.ceil((actualSizeAt(args, 0) + actualSizeAt(args, 1)) * perCharacter),
};

/** The cost of comparing each element of a list. */
export const listSearch: CostModel = {
  estimate: (args) => ({ cost: sizeAt(args, 1) }),
  actual: (args) => actualSizeAt(args, 1),
};

/** A constant cost. */
export const fixed = (units: number): CostModel => ({
  estimate: () => ({ cost: exactly(units) }),
  actual: () => units,
});
