import type { ResourceTable } from "./resources/served.ts";

/** Makes something of all that is served, and again only when something else is served. */
export function cached<T>(make: (table: ResourceTable) => T): (table: ResourceTable) => T {
  const made = new WeakMap<ResourceTable, { readonly version: number; readonly value: T }>();
  return (table) => {
    const known = made.get(table);
    if (known?.version === table.version) return known.value;
    const value = make(table);
    made.set(table, { version: table.version, value });
    return value;
  };
}
