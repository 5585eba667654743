import type { Quantity } from "../../../meta/quantity.ts";

/** The value of a quantity as a number, such as 0.25 for `250m`. */
export function amountOf({ nanos }: Quantity): number {
  return Number(nanos) / 1e9;
}
