type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the object without its undefined members, as JSON would show it. */
export function present<T extends object>(object: T): Present<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}

/** Returns undefined for 0, as fields are on the wire that leave out zeros. */
export function orAbsent(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
