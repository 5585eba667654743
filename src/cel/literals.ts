import { checked, int64, uint64 } from "./integers.ts";
import type { Token } from "./lexer.ts";
import { CelError, Double, type Int, Uint, type Value } from "./values.ts";
import { table } from "../util/table.ts";

/** The value of a literal; undefined for a number that is out of range. @throws EscapeError */
export function literalValue({ kind, text }: Token, negative: boolean): Value | undefined {
  switch (kind) {
    case "string":
      return parseString(text);
    case "bytes":
      return parseBytes(text);
    case "int":
      return parseInt64(text, negative);
    case "uint":
      return parseUint64(text);
    default:
      return parseDouble(text, negative);
  }
}

function parseInt64(text: string, negative: boolean): Int | undefined {
  const magnitude = digits(text);
  const value = magnitude && checked(int64, negative ? -magnitude.value : magnitude.value);
  return value instanceof CelError ? undefined : value;
}

function parseUint64(text: string): Uint | undefined {
  const magnitude = digits(text.slice(0, -1));
  const value = magnitude && checked(uint64, magnitude.value);
  return value === undefined || value instanceof CelError ? undefined : new Uint(value);
}

/**
 * Parses the digits of an integer. The result is boxed, because 0n is falsy. More significant digits than
 * those of a 64-bit integer are out of range.
 */
function digits(text: string): { readonly value: bigint } | undefined {
  const significant = text.replace(/^0+(?=\d)/, "");
  return significant.length > 20 ? undefined : { value: BigInt(significant) };
}

function parseDouble(text: string, negative: boolean): Double | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? new Double(negative ? -value : value) : undefined;
}

/**
 * Thrown when a string literal contains an invalid escape. The message is cel-go's (`parser/unescape.go`).
 */
export class EscapeError extends Error {
  override readonly name = "EscapeError";
}

/** The text of a string literal. All line ends are `\n`. @throws EscapeError */
function parseString(text: string): string {
  const { body, raw } = unquote(text);
  if (raw || !body.includes("\\")) return body;
  return body.replace(escapes, (sequence) => {
    const code = codeOf(sequence);
    if (typeof code === "string") return code;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new EscapeError("invalid unicode code point");
    return String.fromCodePoint(code);
  });
}

/**
 * The bytes of a bytes literal. In it, `\x` and octal escapes are bytes, not characters. @throws EscapeError
 */
function parseBytes(text: string): Uint8Array {
  const { body, raw } = unquote(text.slice(1));
  if (raw || !body.includes("\\")) return new Uint8Array(Buffer.from(body, "utf8"));
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const match of body.matchAll(escapes)) {
    if (/^\\[uU]/.test(match[0])) throw new EscapeError("unable to unescape string");
    parts.push(Buffer.from(body.slice(end, match.index), "utf8"));
    const code = codeOf(match[0]);
    parts.push(typeof code === "string" ? Buffer.from(code, "utf8") : Uint8Array.of(code));
    end = match.index + match[0].length;
  }
  parts.push(Buffer.from(body.slice(end), "utf8"));
  return new Uint8Array(Buffer.concat(parts));
}

function unquote(text: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(text);
  const quotes = raw ? text.slice(1) : text;
  const width = /^("""|''')/.test(quotes) ? 3 : 1;
  return { body: quotes.slice(width, -width).replaceAll(/\r\n?/g, "\n"), raw };
}

const escapes = /\\(?:[xX]..|u.{4}|U.{8}|[0-3]..|.)/gs;

const named: Readonly<Record<string, string>> = table({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
});

/** The character of an escape, or the number of a hexadecimal or octal escape. */
function codeOf(sequence: string): string | number {
  const first = sequence.charAt(1);
  if (/[xXuU]/.test(first)) return Number.parseInt(sequence.slice(2), 16);
  if (/[0-3]/.test(first)) return Number.parseInt(sequence.slice(1), 8);
  return named[first] ?? first;
}
