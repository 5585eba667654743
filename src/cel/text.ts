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
