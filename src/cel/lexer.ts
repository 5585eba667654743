import type { Issue } from "./source.ts";

export type TokenKind =
  | "end"
  | "symbol"
  | "identifier"
  | "quoted identifier"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes";

export interface Token {
  readonly kind: TokenKind;
  /** As written; of the end, `<EOF>`. */
  readonly text: string;
  readonly offset: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly Issue[];
}

const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;

/** A string's forms, the triple-quoted ones first because the longest match counts. */
const quoted = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
].join("|");

type Form = readonly [kind: TokenKind | "blank", first: RegExp, whole: RegExp];

const forms: readonly Form[] = [
  ["blank", /[\t \r\n\f/]/, /(?:[\t \r\n\f]+|\/\/[^\n]*)/y],
  ["double", /[\d.]/, /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["uint", /\d/, /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["int", /\d/, /(?:0x[0-9a-fA-F]+|\d+)/y],
  ["bytes", /[bB]/, new RegExp(`[bB](?:${quoted})`, "y")],
  ["string", /["'rR]/, new RegExp(`(?:${quoted})`, "y")],
  ["identifier", /[a-zA-Z_]/, /[a-zA-Z_][a-zA-Z0-9_]*/y],
  ["quoted identifier", /`/, /`[a-zA-Z0-9_.\-/ ]+`/y],
  ["symbol", /[=!<>&|[\]{}().,\-?:+*/%]/, /(?:==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>])/y],
];

/** Those that can begin with a character, by its code; all of these are ASCII. */
const formsOf: readonly (readonly Form[])[] = Array.from({ length: 128 }, (_, code) =>
  forms.filter(([, first]) => first.test(String.fromCharCode(code))),
);

const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** What could still have become a token: upstream gives it up together with the character after it. */
const unfinished = new RegExp(
  String.raw`[=&|]|\`[a-zA-Z0-9_.\-/ ]*|(?:"(?:${escape}|[^\\"\n\r])*|'(?:${escape}|[^\\'\n\r])*)` +
    String.raw`(?:\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?)?`,
  "y",
);

/** Cuts an expression into tokens; what fits none is an issue and left out. The grammar is cel-spec's. */
export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  while (offset < source.length) {
    const [kind, text] = longest(source, offset);
    if (kind === undefined) {
      issues.push({ message: `Syntax error: token recognition error at: '${visible(text)}'`, offset });
    } else if (kind !== "blank") {
      tokens.push({ kind: keywords.has(text) ? "symbol" : kind, text, offset });
    }
    offset += text.length;
  }
  tokens.push({ kind: "end", text: "<EOF>", offset });
  return { tokens, issues };
}

/** The first form that matches: they are listed so that it is the longest. */
function longest(source: string, offset: number): readonly [TokenKind | "blank" | undefined, string] {
  for (const [kind, , form] of formsOf[source.charCodeAt(offset)] ?? []) {
    form.lastIndex = offset;
    const match = form.exec(source);
    if (match !== null) return [kind, match[0]];
  }
  return [undefined, unreadable(source, offset)];
}

function unreadable(source: string, offset: number): string {
  unfinished.lastIndex = offset;
  const text = unfinished.exec(source)?.[0] ?? "";
  const next = source.codePointAt(offset + text.length);
  return next === undefined ? text : text + String.fromCodePoint(next);
}

const visible = (text: string) =>
  text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
