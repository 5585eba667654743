/** The values of ARG and ENV by name. */
export type Variables = ReadonlyMap<string, string>;

/** The longest word after its expansion: words that repeat a variable double with each instruction. */
const maxWordLength = 128 * 1024;
const maxDepth = 20;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * Replaces variables and removes quotes and escapes, as a shell does (Dockerfile reference: "Environment
 * replacement"). The result is one word: whitespace of a value does not split it.
 * @throws Error with the reason for malformed text
 */
export function expandWord(text: string, variables: Variables, escape: string): string {
  const expansion = new Expansion(text, variables, escape);
  const word = expansion.until("", 0);
  return word;
}

class Expansion {
  readonly #text: string;
  readonly #variables: Variables;
  readonly #escape: string;
  #at = 0;

  constructor(text: string, variables: Variables, escape: string) {
    this.#text = text;
    this.#variables = variables;
    this.#escape = escape;
  }

  /** Reads up to the character `end`, which is consumed, or up to the text's end if it is empty. */
  until(end: string, depth: number): string {
    if (depth > maxDepth) throw new Error("variables are nested too deeply");
    let word = "";
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) {
        if (end !== "") throw new Error(`unexpected end of statement: ${end} is missing`);
        return word;
      }
      this.#at++;
      if (next === end) return word;
      word += this.#piece(next, depth);
      if (word.length > maxWordLength) throw new Error(`a word has more than ${maxWordLength} characters`);
    }
  }

  #piece(next: string, depth: number): string {
    if (next === "'") return this.#single();
    if (next === '"') return this.#double(depth);
    if (next === "$") return this.#variable(depth);
    if (next !== this.#escape) return next;
    return this.#text[this.#at++] ?? next;
  }

  #single(): string {
    const end = this.#text.indexOf("'", this.#at);
    if (end < 0) throw new Error("unexpected end of statement while looking for matching single-quote");
    const literal = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return literal;
  }

  #double(depth: number): string {
    let word = "";
    for (;;) {
      const next = this.#text[this.#at++];
      if (next === undefined)
        throw new Error("unexpected end of statement while looking for matching double-quote");
      if (next === '"') return word;
      if (next === "$") word += this.#variable(depth);
      else if (next === this.#escape) word += this.#escaped(next);
      else word += next;
    }
  }

  /** Within double quotes, only quotes, dollars and the escape itself are escaped. */
  #escaped(escape: string): string {
    const next = this.#text[this.#at];
    if (next !== '"' && next !== "$" && next !== escape) return escape;
    this.#at++;
    return next;
  }

  #variable(depth: number): string {
    if (this.#text[this.#at] !== "{") {
      const name = this.#name();
      return name === "" ? "$" : (this.#variables.get(name) ?? "");
    }
    this.#at++;
    const name = this.#name();
    if (name === "") throw new Error("bad substitution");
    const value = this.#variables.get(name);
    const next = this.#text[this.#at++];
    if (next === "}") return value ?? "";
    const nullCounts = next === ":";
    const operator = nullCounts ? this.#text[this.#at++] : next;
    const isSet = value !== undefined && !(nullCounts && value === "");
    // Read in any case, because its end is the variable's.
    const word = this.until("}", depth + 1);
    switch (operator) {
      case "-":
        return isSet ? value : word;
      case "+":
        return isSet ? word : "";
      case "?":
        if (isSet) return value;
        throw new Error(`${name}: ${word === "" ? "is not allowed to be unset" : word}`);
      default:
        throw new Error(`unsupported modifier (${operator ?? ""}) in substitution`);
    }
  }

  #name(): string {
    namePattern.lastIndex = this.#at;
    const [name = ""] = namePattern.exec(this.#text) ?? [];
    this.#at += name.length;
    return name;
  }
}
