/** The content of a table, by `type/name`. */
export type Ruleset = ReadonlyMap<string, Block>;

export interface Block {
  /** A `set` is filled by the kernel, a `map` or `list` by us: its elements are separate from its lines. */
  readonly type: "chain" | "set" | "map" | "list";
  readonly name: string;
  readonly lines: readonly string[];
  /** The elements of a map or list: each key with its value, which is empty in a list. */
  readonly elements?: ReadonlyMap<string, string>;
}

export function rulesetOf(blocks: readonly Block[]): Ruleset {
  return new Map(blocks.map((block) => [`${block.type}/${block.name}`, block]));
}

/** Returns the word of nft's language for a block's type. */
export function wordOf({ type }: Block): string {
  return type === "list" ? "set" : type;
}

/** Declares blocks. Chains that they refer to must be among them or exist. */
export function declaration(table: string, blocks: readonly Block[]): string {
  if (blocks.length === 0) return "";
  const text = blocks.flatMap((block) => [
    `  ${wordOf(block)} ${block.name} {`,
    ...block.lines.map((line) => `    ${line}`),
    "  }",
  ]);
  return [`table ip ${table} {`, ...text, "}", ""].join("\n");
}

/** Adds or deletes elements of a map or list. */
export function change(
  verb: "add" | "delete",
  table: string,
  name: string,
  elements: ReadonlyMap<string, string>,
): string {
  if (elements.size === 0) return "";
  const each = [...elements].map(([key, value]) => (value === "" ? key : `${key} : ${value}`));
  return `${verb} element ip ${table} ${name} ${listOf(each)}\n`;
}

/** Writes elements one per line, because nft prints the line that it refuses. */
export function listOf(each: readonly string[]): string {
  return `{\n${each.join(",\n")}\n}`;
}
