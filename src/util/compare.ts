/**
 * Comparators for `sort`. Texts are ordered by UTF-16 code units, as `sort` does by itself: for the ASCII of names, the
 * order of Go's strings.
 */

/** Orders texts or numbers, the smallest first. */
export function ascending<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}

/** Orders values by a text or a number that each has, the smallest first. */
export function by<T>(key: (value: T) => string | number): (a: T, b: T) => number {
  return (a, b) => ascending(key(a), key(b));
}

/** The entries of a record, sorted by their keys. */
export function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][];
export function sortedEntries(record: object): [string, unknown][];
export function sortedEntries(record: object): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => ascending(a, b));
}
