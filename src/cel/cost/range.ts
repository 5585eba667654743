/** From least to most, both included: of a size or of a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Upstream counts in unsigned 64-bit integers and stops at their end. */
const ceiling = 2 ** 64;

export const exactly = (value: number): Range => ({ min: value, max: value });
export const zero = exactly(0);
export const one = exactly(1);
export const unknown: Range = { min: 0, max: ceiling };

const capped = (value: number) => Math.min(value, ceiling);

export const plus = (a: Range, b: Range): Range => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
});
export const times = (a: Range, b: Range): Range => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
});
/** Rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});
/** What covers both. */
export const union = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, zero);
