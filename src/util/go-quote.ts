import { table } from "./table.ts";

const escapes: Readonly<Record<string, string>> = table({
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
});

/** Quotes with Go's escapes: all those of Go's `%q`, or only those with a letter of their own. */
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
