import type { Ruleset } from "./render.ts";

/**
 * The transaction that puts one ruleset in the place of another. A connection sees the one or the other, and
 * clients stay with their endpoints. undefined: what the table holds is not known, be it nothing.
 */
export function replace(table: string, present: Ruleset | undefined, next: Ruleset): string {
  if (present === undefined) return removal(table) + next.text;
  const without = (type: "chain" | "set", names: readonly string[], kept: readonly string[]) => {
    const keep = new Set(kept);
    return names.filter((name) => !keep.has(name)).map((name) => `delete ${type} ip ${table} ${name}\n`);
  };
  // Only empty chains and sets that no rule names can be deleted.
  return [
    `flush table ip ${table}\n`,
    ...without("chain", present.chains, next.chains),
    ...without("set", present.sets, next.sets),
    next.text,
  ].join("");
}

/** Removes a table, whether it is there or not. */
export function removal(table: string): string {
  return `add table ip ${table}\ndelete table ip ${table}\n`;
}
