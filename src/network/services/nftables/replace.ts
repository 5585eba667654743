import { type Block, change, declaration, type Ruleset, wordOf } from "./ruleset.ts";

/** A step from one ruleset to the next. */
export interface Replacement {
  /** The transaction: a connection sees either the rules before or the rules after. */
  readonly script: string;
  /**
   * The chains that are left empty. Kernels refuse to delete a chain in the transaction that deletes the last
   * map element that leads to it (EBUSY), so a later transaction does.
   */
  readonly stale: ReadonlySet<string>;
}

const nothing: ReadonlyMap<string, string> = new Map();

/**
 * Plans the replacement of a ruleset, which touches only what differs, so that clients keep their endpoints.
 * `present` is undefined when the table's content is unknown.
 */
export function replace(
  table: string,
  present: Ruleset | undefined,
  next: Ruleset,
  stale: ReadonlySet<string> = new Set(),
): Replacement {
  const before = present ?? new Map<string, Block>();
  const changed = [...next].filter(([key, block]) => !hasSameLines(before.get(key), block));
  const removed = [...before].filter(([key]) => !next.has(key)).map(([, block]) => block);
  const left = [...stale, ...removed.filter(({ type }) => type === "chain").map(({ name }) => name)].filter(
    (name) => !next.has(`chain/${name}`),
  );
  const flushed = [...removed, ...changed.flatMap(([key]) => before.get(key) ?? [])].filter(
    ({ type }) => type === "chain",
  );
  const script = [
    present === undefined ? removal(table) : "",
    ...removed.map((block) => change("delete", table, block.name, block.elements ?? nothing)),
    ...[...next].map(([key, block]) => changeElements("delete", table, before.get(key), block)),
    ...flushed.map(({ name }) => `flush chain ip ${table} ${name}\n`),
    ...removed
      .filter(({ type }) => type !== "chain")
      .map((block) => `delete ${wordOf(block)} ip ${table} ${block.name}\n`),
    declaration(
      table,
      changed.map(([, block]) => block),
    ),
    ...[...next].map(([key, block]) => changeElements("add", table, before.get(key), block)),
  ].join("");
  return { script, stale: present === undefined ? new Set() : new Set(left) };
}

/** Deletes chains that an earlier transaction left empty. */
export function deletion(table: string, stale: ReadonlySet<string>): string {
  return [...stale].map((name) => `delete chain ip ${table} ${name}\n`).join("");
}

/** Removes a table, whether or not it exists. */
export function removal(table: string): string {
  return `add table ip ${table}\ndelete table ip ${table}\n`;
}

function changeElements(
  verb: "add" | "delete",
  table: string,
  before: Block | undefined,
  after: Block,
): string {
  const had = before?.elements ?? nothing;
  const has = after.elements ?? nothing;
  if (had === has) return "";
  const [from, to] = verb === "delete" ? [had, has] : [has, had];
  return change(verb, table, after.name, new Map([...from].filter(([key, value]) => to.get(key) !== value)));
}

function hasSameLines(one: Block | undefined, { lines }: Block): boolean {
  return one !== undefined && (one.lines === lines || one.lines.join("\n") === lines.join("\n"));
}
