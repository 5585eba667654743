/** Returns undefined for 0, as fields are on the wire that leave out zeros. */
export function orAbsent(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
