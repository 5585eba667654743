import { codePoints } from "../text.ts";
import type { Type } from "../type.ts";
import { CelList, CelMap, CelObject, Optional, type Result, type Value } from "../values.ts";
import { exactly, one, plus, type Range, scaled, times } from "./range.ts";

/** What a call costs besides its arguments: estimated from what is known of their sizes, and afterwards in fact. */
export interface CostModel {
  readonly estimate: (args: readonly Operand[]) => CallEstimate;
  /** Arguments that failed count too: their size is 1. */
  readonly actual: (args: readonly Result[], result: Result) => number;
}

/** An argument as the estimate sees it; the receiver is the first. */
export interface Operand {
  readonly type: Type;
  readonly size: Range;
  /** What it says when it is a literal. */
  readonly literal?: Value;
  /** Of a list's elements, where its type tells that it is one. */
  readonly elements?: { readonly type: Type; readonly size: Range };
}

export interface CallEstimate {
  readonly cost: Range;
  /** Of a result that is a string, bytes, a list or a map. */
  readonly size?: Range;
}

/** What it costs to look at one character or byte, and to try one character of a pattern at one of a text. */
export const perCharacter = 0.1;
const perPatternCharacter = 0.25;

/** As `size()` counts; 1 for what has no size. */
export function sizeOf(value: Result): number {
  if (typeof value === "string") return codePoints(value);
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

export const sizeAt = (args: readonly Operand[], index: number): Range => args[index]?.size ?? one;
export const actualSizeAt = (args: readonly Result[], index: number): number => sizeOf(args[index] ?? null);

/** Looks `passes` times at every character of an argument. The result is at most as long as that, if it has a size. */
export const traversal = (index: number, passes = 1): CostModel => ({
  estimate: (args) => ({
    cost: scaled(sizeAt(args, index), passes * perCharacter),
    size: sizeAt(args, index),
  }),
  // In upstream's order of operations: the last bit decides what is rounded up.
  actual: (args) => Math.ceil(actualSizeAt(args, index) * passes * perCharacter),
});

/** Reads a text so many times to make something of it that has no size. */
export const reading = (index: number, passes = 1): CostModel => ({
  estimate: (args) => ({ cost: scaled(sizeAt(args, index), passes * perCharacter) }),
  actual: traversal(index, passes).actual,
});

/** Whether a text begins or ends with another: upstream estimates by the shorter and charges for the longer one. */
export const affix: CostModel = {
  estimate: (args) => ({ cost: scaled(sizeAt(args, 1), perCharacter) }),
  actual: traversal(0).actual,
};

/** Looks for one text in another. */
export const search: CostModel = {
  estimate: (args) => ({
    cost: times(scaled(sizeAt(args, 0), perCharacter), scaled(sizeAt(args, 1), perCharacter)),
  }),
  actual: (args) =>
    Math.ceil(actualSizeAt(args, 0) * perCharacter) * Math.ceil(actualSizeAt(args, 1) * perCharacter),
};

/** Tries a pattern at every character of a text, and once more, so that an empty text is not free. */
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

/** Compares two values up to the end of the shorter one. */
export const comparison: CostModel = {
  estimate: (args) => {
    const max = Math.min(sizeAt(args, 0).max, sizeAt(args, 1).max);
    return { cost: scaled({ min: Math.min(1, max), max }, perCharacter) };
  },
  actual: (args) => Math.ceil(Math.min(actualSizeAt(args, 0), actualSizeAt(args, 1)) * perCharacter),
};

/** Copies two texts into a new one. */
export const concatenation: CostModel = {
  estimate: (args) => {
    const size = plus(sizeAt(args, 0), sizeAt(args, 1));
    return { cost: scaled(size, perCharacter), size };
  },
  actual: (args) => Math.ceil((actualSizeAt(args, 0) + actualSizeAt(args, 1)) * perCharacter),
};

/** Compares one element after the other. */
export const listSearch: CostModel = {
  estimate: (args) => ({ cost: sizeAt(args, 1) }),
  actual: (args) => actualSizeAt(args, 1),
};

/** The same for every call. */
export const fixed = (units: number): CostModel => ({
  estimate: () => ({ cost: exactly(units) }),
  actual: () => units,
});
