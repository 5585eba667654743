type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the object without its undefined members, as JSON would show it. */
export function present<T extends object>(object: T): Present<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  // Safe: exactly the undefined members are gone.
  return Object.fromEntries(entries) as Present<T>;
}
