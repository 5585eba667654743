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
  /** The token as written; `<EOF>` at the end. */
  readonly text: string;
  readonly offset: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly Issue[];
}

const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;

/** The forms of strings. The triple-quoted ones are first, because the longest match counts. */
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

/** The forms that can begin with a character, by its code. All of these characters are ASCII. */
const formsOf: readonly (readonly Form[])[] = Array.from({ length: 128 }, (_, code) =>
  forms.filter(([, first]) => first.test(String.fromCharCode(code))),
);

const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Matches an incomplete token, which upstream drops together with the next character. */
const unfinished = new RegExp(
  String.raw`[=&|]|\`[a-zA-Z0-9_.\-/ ]*|(?:"(?:${escape}|[^\\"\n\r])*|'(?:${escape}|[^\\'\n\r])*)` +
    String.raw`(?:\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?)?`,
  "y",
);

/**
 * Splits an expression into tokens. Text that is not a token is dropped and reported as an issue. The grammar
 * is cel-spec's.
 */
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

/** Matches the longest form, which is the first one in the list that matches. */
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
