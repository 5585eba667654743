import { spend } from "./effort.ts";

/** How many characters a text has: a surrogate pair is one. */
export function codePoints(text: string): number {
  spend(text.length / 16);
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}

/** Where so many characters after `from` end, in code units; no further than the text does. */
export function codeUnitOf(text: string, characters: number, from = 0): number {
  let at = from;
  for (let i = 0; i < characters && at < text.length; i++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** In double quotes with Go's escapes: all that Go's `%q` writes, or those that have a letter of their own. */
export function quoted(text: string, withHidden = true): string {
  // oxlint-disable-next-line no-control-regex
  const named = text.replace(/[\x07-\r\\"]/g, (character) => escapes[character] ?? character);
  return `"${withHidden ? named.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, hidden) : named}"`;
}

function hidden(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** What Go's `unicode.IsSpace` holds for, which is not quite what JavaScript trims. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Without the space around it. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text.charAt(start))) start += 1;
  while (end > start && space.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
