/** Makes a table without inherited members, so that it can be looked up by any text, even a client's. */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const bare: Record<string, T> = Object.create(null);
  return Object.assign(bare, entries);
}

/** Returns an object's own value under a name, without inherited members. */
export function ownValue<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
