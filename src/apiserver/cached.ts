import type { ResourceTable } from "./resources/served.ts";

/** Computes a value from the table of served resources, and again only after the table has changed. */
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
