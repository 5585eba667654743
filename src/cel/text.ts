import { spend } from "./effort.ts";

/** Counts the characters of a text. A surrogate pair is one character. */
export function codePoints(text: string): number {
  spend(text.length / 16);
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}

/** The index in code units after this number of characters from `from`, at most the end of the text. */
export function codeUnitOf(text: string, characters: number, from = 0): number {
  let at = from;
  for (let i = 0; i < characters && at < text.length; i++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The characters of Go's `unicode.IsSpace`, which differ from those that JavaScript trims. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Removes white space at both ends. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text.charAt(start))) start += 1;
  while (end > start && space.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
