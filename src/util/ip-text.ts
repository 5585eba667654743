import { quoted } from "./go-quote.ts";

/** Parses addresses as Go's `net/netip`, with its canonical numbers and its error messages. */

/** The 4 or 16 bytes, and an optional zone. */
export interface ParsedAddress {
  readonly bytes: readonly number[];
  readonly zone: string;
}

class Problem extends Error {
  override readonly name = "Problem";
}

function fail(text: string, problem: string, at = ""): never {
  const place = at === "" ? "" : ` (at ${quoted(at)})`;
  throw new Problem(`ParseAddr(${quoted(text)}): ${problem}${place}`);
}

/** Returns the address, or the error's message. */
export function parseAddress(text: string): ParsedAddress | string {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function read(text: string): ParsedAddress {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { bytes: readFields(text, text), zone: "" };
    case ":":
      return readGroups(text);
    case "%":
      return fail(text, "missing IPv6 address");
    default:
      return fail(text, "unable to parse IP");
  }
}

/** Reads four decimal numbers; `text` is shown in errors. */
function readFields(text: string, fields: string): number[] {
  const bytes: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < fields.length; i++) {
    const character = fields.charAt(i);
    if (/[0-9]/.test(character)) {
      if (digits === 1 && value === 0) fail(text, "IPv4 field has octet with leading zero");
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) fail(text, "IPv4 field has value >255");
    } else if (character === ".") {
      const isAlone = i === 0 || i === fields.length - 1 || fields.charAt(i - 1) === ".";
      if (isAlone) fail(text, "IPv4 field must have at least one digit", fields.slice(i));
      if (bytes.length === 3) fail(text, "IPv4 address too long");
      bytes.push(value);
      value = 0;
      digits = 0;
    } else fail(text, "unexpected character", fields.slice(i));
  }
  if (bytes.length < 3) fail(text, "IPv4 address too short");
  return [...bytes, value];
}

function readGroups(text: string): ParsedAddress {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") fail(text, "zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (bytes.length < 16 && (rest !== "" || ellipsis !== bytes.length)) {
    const digits = readGroup(text, rest);
    if (rest.charAt(digits.length) === ".") {
      bytes.push(...readEmbedded(text, rest, bytes.length, ellipsis >= 0));
      rest = "";
      break;
    }
    const value = Number.parseInt(digits, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) fail(text, "unexpected character, want colon", rest);
    if (rest === ":") fail(text, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (ellipsis >= 0) fail(text, "multiple :: in address", rest);
    ellipsis = bytes.length;
    rest = rest.slice(1);
  }
  if (rest !== "") fail(text, "trailing garbage after address", rest);
  return { bytes: expand(text, bytes, ellipsis), zone };
}

/** Returns the hexadecimal digits at the beginning of a text. */
function readGroup(text: string, rest: string): string {
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
  if (digits.length > 4) fail(text, "each group must have 4 or less digits", rest);
  if (digits === "") fail(text, "each colon-separated field must have at least one digit", rest);
  return digits;
}

/** Reads four decimal numbers at the end. */
function readEmbedded(text: string, rest: string, filled: number, hasEllipsis: boolean): readonly number[] {
  if (!hasEllipsis && filled !== 12) {
    fail(text, "embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (filled > 12) {
    fail(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  }
  return readFields(text, rest);
}

/** Inserts the zeros of `::`. */
function expand(text: string, bytes: readonly number[], ellipsis: number): readonly number[] {
  if (bytes.length === 16) {
    return ellipsis < 0 ? bytes : fail(text, "the :: must expand to at least one field of zeros");
  }
  if (ellipsis < 0) fail(text, "address string too short");
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)];
}
