/** Makes a table without inherited members, so that it can be looked up by any text, even a client's. */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}

/** Returns an object's own value under a name, without inherited members. */
export function ownValue<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
