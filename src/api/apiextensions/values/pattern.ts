/**
 * Regular expressions in RE2's syntax, as Go's `regexp` reads them, run by JavaScript's engine. What RE2 does
 * not have (look-around, back-references) is refused. Unlike RE2, matching can take exponential time.
 */

/** The pattern is no regular expression; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  constructor(code: string, expression: string) {
    super(`error parsing regexp: ${code}: \`${expression}\``);
  }
}

/** Patterns met before: schemas use the same few again and again. Emptied when full. */
const compiled = new Map<string, RegExp>();

/** @throws PatternError */
export function compilePattern(pattern: string): RegExp {
  let result = compiled.get(pattern);
  if (result === undefined) {
    result = new RegExp(new Translator(pattern).translate(), "u");
    if (compiled.size >= 1024) compiled.clear();
    compiled.set(pattern, result);
  }
  return result;
}

/** Why a pattern is no regular expression, in Go's words. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

const invalidEscape = "invalid escape sequence";
const invalidRange = "invalid character class range";
const missingOperand = "missing argument to repetition operator";

interface Flags {
  /** Case does not matter. */
  readonly i: boolean;
  /** `^` and `$` match at line breaks. */
  readonly m: boolean;
  /** `.` matches line breaks. */
  readonly s: boolean;
}

const perlClasses: Readonly<Record<string, string>> = {
  d: "0-9",
  s: "\\t\\n\\f\\r ",
  w: "0-9A-Za-z_",
};

const posixClasses: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\t ",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const literal = (code: number): string => `\\u{${code.toString(16)}}`;

class Translator {
  readonly #text: string;
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false };
  readonly #outer: Flags[] = [];
  /** Whether there is something that `*` could repeat. */
  #hasOperand = false;
  /** Where the repetition began that has just been read. */
  #lastRepeat: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  translate(): string {
    let source = "";
    while (this.#at < this.#text.length) source += this.#next();
    if (this.#outer.length > 0) throw new PatternError("missing closing )", this.#text);
    return source;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern.source, "uy");
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #from(start: number): string {
    return this.#text.slice(start, this.#at);
  }

  #next(): string {
    const start = this.#at;
    const repeated = this.#repetition();
    if (repeated !== undefined) {
      this.#lastRepeat = start;
      return repeated;
    }
    this.#lastRepeat = undefined;
    const [character = ""] = this.#take(/./su) ?? [];
    switch (character) {
      case "(":
        return this.#open(start);
      case ")":
        return this.#close();
      case "|":
        this.#hasOperand = false;
        return "|";
      case "[":
        return this.#atom(this.#set(start));
      case "\\":
        return this.#escape(start);
      case ".":
        return this.#atom(this.#flags.s ? "[^]" : "[^\\n]");
      case "^":
        return this.#assertion(this.#flags.m ? "(?<![^\\n])" : "(?<![^])");
      case "$":
        return this.#assertion(this.#flags.m ? "(?![^\\n])" : "(?![^])");
      default:
        return this.#atom(literal(codeOf(character)));
    }
  }

  #atom(source: string): string {
    this.#hasOperand = true;
    return this.#flags.i ? `(?i:${source})` : source;
  }

  /** In a group, because JavaScript repeats no bare assertion. */
  #assertion(source: string): string {
    this.#hasOperand = true;
    return `(?:${source})`;
  }

  #repetition(): string | undefined {
    const start = this.#at;
    const match = this.#take(/[*+?]|\{(\d+)(,(\d*))?\}/u);
    if (match === null) return undefined;
    const [operator, least = "0", , most = ""] = match;
    const [min, max] = [Number(least), Number(most || least)];
    if (min > 1000 || max > 1000 || max < min) throw new PatternError("invalid repeat count", operator);
    const lazy = this.#take(/\?/u) === null ? "" : "?";
    if (this.#lastRepeat !== undefined) {
      throw new PatternError("invalid nested repetition operator", this.#from(this.#lastRepeat));
    }
    if (!this.#hasOperand) throw new PatternError(missingOperand, this.#from(start));
    return operator + lazy;
  }

  #open(start: number): string {
    if (this.#take(/\?/u) === null) return this.#enter();
    if (this.#text.startsWith("<", this.#at) || this.#text.startsWith("P<", this.#at)) {
      const named = this.#take(/P?<([^>]*)>/u);
      if (named === null) throw new PatternError("invalid named capture", this.#text.slice(start));
      if (!/^\w+$/.test(named[1] ?? "")) throw new PatternError("invalid named capture", this.#from(start));
      return this.#enter();
    }
    const flags = this.#take(/([imsU]*)(-[imsU]+)?([:)])/u);
    if (flags === null) {
      this.#take(/[imsU]*(-[imsU]*)?/u);
      this.#take(/./su);
      throw new PatternError("invalid or unsupported Perl syntax", this.#from(start));
    }
    const [, on = "", off = "", end] = flags;
    const group = end === ":" ? this.#enter() : "";
    const set = (name: keyof Flags) => (this.#flags[name] || on.includes(name)) && !off.includes(name);
    this.#flags = { i: set("i"), m: set("m"), s: set("s") };
    return group;
  }

  #enter(): string {
    this.#outer.push(this.#flags);
    this.#hasOperand = false;
    return "(?:";
  }

  #close(): string {
    const flags = this.#outer.pop();
    if (flags === undefined) throw new PatternError("unexpected )", this.#text);
    this.#flags = flags;
    this.#hasOperand = true;
    return ")";
  }

  #escape(start: number): string {
    const special = this.#take(/[AbBzC]/u)?.[0];
    switch (special) {
      case "A":
        return this.#assertion("(?<![^])");
      case "z":
        return this.#assertion("(?![^])");
      case "b":
      case "B":
        return this.#assertion(`\\${special}`);
      case "C":
        throw new PatternError(invalidEscape, "\\C");
    }
    if (this.#take(/Q/u) !== null) {
      const [, text = ""] = this.#take(/([^]*?)(?:\\E|$)/u) ?? [];
      return Array.from(text)
        .map((one) => this.#atom(literal(codeOf(one))))
        .join("");
    }
    const members = this.#classEscape(start);
    return this.#atom(members === undefined ? literal(this.#character(start)) : `[${members}]`);
  }

  /** `\d`, `\pL`, `\p{Greek}`: members of a class; undefined when it is one character. The backslash is read. */
  #classEscape(start: number): string | undefined {
    const perl = this.#take(/[dDsSwW]/u)?.[0];
    if (perl !== undefined) {
      const members = perlClasses[perl.toLowerCase()] ?? "";
      return perl === perl.toLowerCase() ? members : complement(members);
    }
    const unicode = this.#take(/([pP])(?:\{(\^?)([^}]*\}?)|([^{]))/u);
    if (unicode === null) return undefined;
    const [, letter, caret = "", long, short = ""] = unicode;
    const name = long === undefined ? short : long.endsWith("}") ? long.slice(0, -1) : "";
    const isNegated = (letter === "P") !== (caret === "^");
    if (name === "Any") return isNegated ? "" : "\\u{0}-\\u{10ffff}";
    for (const property of [name, `Script=${name}`]) {
      const source = `\\${isNegated ? "P" : "p"}{${property}}`;
      if (/^\w+$/.test(name) && isPattern(source)) return source;
    }
    throw new PatternError(invalidRange, this.#from(start));
  }

  /** The code of an escaped character. The backslash is read. */
  #character(start: number): number {
    const octal = this.#take(/0[0-7]{0,2}|[1-7][0-7]{1,2}/u);
    if (octal !== null) return Number.parseInt(octal[0], 8);
    const hex = this.#take(/x(?:\{0*((?:10|[0-9A-Fa-f])?[0-9A-Fa-f]{1,4})\}|([0-9A-Fa-f]{2}))/u);
    if (hex !== null) return Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
    const badHex = this.#take(/x(?:\{[0-9A-Fa-f]*[^}]?|.{0,2})/su);
    const [character] = badHex ?? this.#take(/./su) ?? [];
    if (character === undefined) throw new PatternError("trailing backslash at end of expression", "");
    if (/[\0-\x7f]/.test(character) && !/[0-9A-Za-z]/.test(character)) return codeOf(character);
    const control = controls[character];
    if (control !== undefined) return control;
    throw new PatternError(invalidEscape, this.#from(start));
  }

  #set(start: number): string {
    const isNegated = this.#take(/\^/u) !== null;
    let members = "";
    for (let isFirst = true; isFirst || !this.#text.startsWith("]", this.#at); isFirst = false) {
      members += this.#member(start);
    }
    this.#at += 1;
    return `[${isNegated ? "^" : ""}${members}]`;
  }

  #member(start: number): string {
    const at = this.#at;
    const posix = this.#take(/\[:(\^?)(\w*):\]/u);
    if (posix !== null) {
      const members = posixClasses[posix[2] ?? ""];
      if (members === undefined) throw new PatternError(invalidRange, posix[0]);
      return posix[1] === "^" ? complement(members) : members;
    }
    if (this.#text.startsWith("\\", this.#at)) {
      this.#at += 1;
      const members = this.#classEscape(at);
      if (members !== undefined) return members;
      this.#at = at;
    }
    const low = this.#setCharacter(start);
    if (!/^-[^\]]/u.test(this.#text.slice(this.#at))) return literal(low);
    this.#at += 1;
    const high = this.#setCharacter(start);
    if (high < low) throw new PatternError(invalidRange, this.#from(at));
    return `${literal(low)}-${literal(high)}`;
  }

  #setCharacter(start: number): number {
    const at = this.#at;
    const [character] = this.#take(/./su) ?? [];
    if (character === undefined) throw new PatternError("missing closing ]", this.#text.slice(start));
    return character === "\\" ? this.#character(at) : codeOf(character);
  }
}

/** The members that a small ASCII class lacks. */
function complement(members: string): string {
  const class_ = new RegExp(`[${members}]`, "u");
  const others = Array.from({ length: 128 }, (_, code) => code).filter(
    (code) => !class_.test(String.fromCodePoint(code)),
  );
  return `${others.map(literal).join("")}\\u{80}-\\u{10ffff}`;
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}
