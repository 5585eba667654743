import type { Random } from "../../util/random.ts";
import type { Delay } from "./configuration/schema.ts";

/** Draws the milliseconds of a delay; 0 for an absent one. */
export function drawDelay(
  { durationMilliseconds: least = 0, jitterDurationMilliseconds: most = least }: Delay = {},
  random: Random,
): number {
  return most === least ? least : least + random.next() * (most - least);
}

/** Draws one item by its weight; undefined for an empty list. */
export function drawWeighted<T extends { readonly weight?: number }>(
  items: readonly T[],
  random: Random,
): T | undefined {
  const [first] = items;
  if (items.length <= 1) return first;
  const total = items.reduce((sum, { weight = 1 }) => sum + weight, 0);
  let left = random.next() * total;
  return items.find(({ weight = 1 }) => (left -= weight) < 0) ?? items.at(-1);
}
