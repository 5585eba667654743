/**
 * A flag as Go's pflag parses it: `--name value`, `--name=value`, `-n value`; booleans take a value only with
 * `=`.
 */
export interface FlagSpec {
  /** A flag of the type `strings` may be repeated. */
  readonly type: "string" | "strings" | "int" | "bool";
  readonly short?: string;
  readonly default?: string | number | boolean;
  /** The value's name in the help. */
  readonly value?: string;
  readonly help: string;
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type ValueOf<S extends FlagSpec> = S["type"] extends "int"
  ? number
  : S["type"] extends "bool"
    ? boolean
    : S["type"] extends "strings"
      ? readonly string[]
      : string;

/** The parsed values. A flag without a default may be absent. */
export type Flags<S extends FlagSpecs> = {
  readonly [K in keyof S]: "default" extends keyof S[K]
    ? ValueOf<S[K]>
    : S[K]["type"] extends "strings"
      ? readonly string[]
      : ValueOf<S[K]> | undefined;
};

/** The user's command line is invalid; the message says how to correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns the entries of a comma-separated value. */
export function listOf(text: string): readonly string[] {
  return text.split(",").filter((entry) => entry !== "");
}

/** Splits a command line into flags and arguments. `--` ends the flags. @throws UsageError */
export function parseFlags<const S extends FlagSpecs>(
  specs: S,
  line: readonly string[],
): { flags: Flags<S>; args: string[] } {
  const flags: Record<string, string | number | boolean | readonly string[] | undefined> = {};
  const lists = new Map<string, string[]>();
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.type === "strings") lists.set(name, []);
    flags[name] = lists.get(name) ?? spec.default;
  }
  const args: string[] = [];
  const words = [...line];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") {
      args.push(...words);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      args.push(word);
      continue;
    }
    const [given, inline] = splitOnce(word, "=");
    const name = nameOf(specs, given);
    const spec = name === undefined ? undefined : specs[name];
    if (name === undefined || spec === undefined) throw new UsageError(`unknown flag: ${given}`);
    const text = inline ?? (spec.type === "bool" ? "true" : words.shift());
    if (text === undefined) throw new UsageError(`flag needs an argument: ${given}`);
    const list = lists.get(name);
    if (list === undefined) flags[name] = parseValue(spec, given, text);
    else list.push(text);
  }
  // Safe: `parseValue` returns values of the flag's type, and every flag has its default.
  return { flags: flags as Flags<S>, args };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function nameOf(specs: FlagSpecs, given: string): string | undefined {
  if (given.startsWith("--")) {
    const name = given.slice(2);
    return Object.hasOwn(specs, name) ? name : undefined;
  }
  return Object.keys(specs).find((name) => specs[name]?.short === given.slice(1));
}

function parseValue({ type }: FlagSpec, given: string, text: string): string | number | boolean {
  const fail = (wanted: string) =>
    new UsageError(
      `invalid argument ${JSON.stringify(text)} for ${JSON.stringify(given)} flag: it must be ${wanted}`,
    );
  switch (type) {
    case "string":
    case "strings":
      return text;
    case "int":
      if (!/^-?\d{1,15}$/.test(text)) throw fail("an integer");
      return Number(text);
    case "bool":
      if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
      if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
      throw fail("true or false");
  }
}

/** Returns the flags' part of a help text, with one or two lines for each flag. */
export function describeFlags(specs: FlagSpecs): string {
  return Object.entries(specs)
    .map(([name, { short, value, type, help, default: standard }]) => {
      const shape = type === "bool" ? "" : ` ${value ?? type}`;
      const suffix =
        standard === undefined || standard === false || standard === "" ? "" : ` (default ${standard})`;
      return `  ${short === undefined ? "    " : `-${short}, `}--${name}${shape}\n          ${help}${suffix}`;
    })
    .join("\n");
}
