/** An inclusive range of sizes or costs. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The end of unsigned 64-bit integers, at which upstream's counters saturate. */
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
/** The range multiplied by a factor, rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});
/** The smallest range that contains both. */
export const union = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, zero);
