import type { Ruleset } from "./render.ts";

/**
 * Returns the transaction that replaces one ruleset by another. A connection sees either the one or the
 * other, and clients keep their endpoints. `present` is undefined when the table's content is unknown.
 */
export function replace(table: string, present: Ruleset | undefined, next: Ruleset): string {
  if (present === undefined) return removal(table) + next.text;
  const without = (type: "chain" | "set", names: readonly string[], kept: readonly string[]) => {
    const keep = new Set(kept);
    return names.filter((name) => !keep.has(name)).map((name) => `delete ${type} ip ${table} ${name}\n`);
  };
  // Only empty chains and unreferenced sets can be deleted.
  return [
    `flush table ip ${table}\n`,
    ...without("chain", present.chains, next.chains),
    ...without("set", present.sets, next.sets),
    next.text,
  ].join("");
}

/** Removes a table, whether or not it exists. */
export function removal(table: string): string {
  return `add table ip ${table}\ndelete table ip ${table}\n`;
}
