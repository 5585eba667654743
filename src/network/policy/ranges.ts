import { nthAddress, parseNetwork } from "../../util/ipv4.ts";

/** The first and the last number of a range of addresses or ports. */
export type Range = readonly [first: number, last: number];

/** Ranges that are sorted and neither overlap nor touch. */
export type Ranges = readonly Range[];

const everyAddress = parseNetwork("0.0.0.0/0");

/** Returns the addresses of an IPv4 CIDR as numbers; undefined for other text. */
export function rangeOf(cidr: string): Range | undefined {
  try {
    const { base, size } = parseNetwork(cidr);
    return [base, base + size - 1];
  } catch {
    return undefined;
  }
}

/** Merges ranges, because nft refuses overlapping elements. */
export function union(ranges: readonly Range[]): Ranges {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** Returns the parts of a range that are in none of the others. */
export function subtract([first, last]: Range, others: Ranges): Ranges {
  const parts: Range[] = [];
  let start = first;
  for (const [low, high] of others) {
    if (high < start) continue;
    if (low > last) break;
    if (low > start) parts.push([start, low - 1]);
    start = high + 1;
  }
  if (start <= last) parts.push([start, last]);
  return parts;
}

/** Renders ranges of ports in nft's language. */
export function portText([first, last]: Range): string {
  return first === last ? String(first) : `${first}-${last}`;
}

/** Renders ranges of addresses in nft's language. */
export function addressText([first, last]: Range): string {
  const [low, high] = [first, last].map((number) => nthAddress(everyAddress, number));
  return low === high ? `${low}` : `${low}-${high}`;
}
