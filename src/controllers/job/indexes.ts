/** An ascending list of disjoint intervals of completion indexes (upstream `orderedIntervals`). */
export type Indexes = readonly Interval[];

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a text such as `1,3-5,7`. Drops malformed intervals, and indexes that are not less than the
 * completions.
 */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  const found: Interval[] = [];
  for (const part of (text ?? "").split(",")) {
    const [low = "", high = low] = part.split("-");
    if (!/^\d+$/.test(low) || !/^\d+$/.test(high)) continue;
    if (Number(low) >= completions) break;
    found.push({ first: Number(low), last: Math.min(Number(high), completions - 1) });
  }
  return mergeIndexes(found, []);
}

/** Writes the indexes as in a Job's status: two neighbours as `1,2`, three as `1-3`. */
export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
}

export function mergeIndexes(a: Indexes, b: Indexes): Indexes {
  const merged: Interval[] = [];
  for (const { first, last } of [...a, ...b].toSorted((x, y) => x.first - y.first)) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last + 1) merged.push({ first, last });
    else if (before.last < last) merged[merged.length - 1] = { first: before.first, last };
  }
  return merged;
}

export function withIndexes(indexes: Indexes, more: Iterable<number>): Indexes {
  return mergeIndexes(
    indexes,
    [...more].map((index) => ({ first: index, last: index })),
  );
}

export function countOf(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indexes[middle]?.last ?? 0) >= index) high = middle;
    else low = middle + 1;
  }
  const at = indexes[low];
  return at !== undefined && at.first <= index;
}

/** Returns the number of indexes in both sets. */
export function countOfCommon(a: Indexes, b: Indexes): number {
  let [i, j, count] = [0, 0, 0];
  for (;;) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) return count;
    count += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
    if (one.last <= other.last) i += 1;
    if (other.last <= one.last) j += 1;
  }
}

/** Returns the first `count` indexes below `completions` that are not taken. */
export function firstFree(taken: Indexes, count: number, completions: number): readonly number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate++) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}
