/** Returns the indexes of values that occur earlier in the list. */
export function repeats(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const places = new Set<number>();
  for (const [place, value] of values.entries()) {
    if (seen.has(value)) places.add(place);
    seen.add(value);
  }
  return places;
}
