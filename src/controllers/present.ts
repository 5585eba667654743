type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without those members whose value is undefined: as it reads after a trip through JSON. */
export function present<T extends object>(object: T): Present<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}

/** A count as the wire shows it where it leaves out zeros. */
export function orAbsent(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
