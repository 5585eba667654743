import { RE2JS, RE2JSException } from "re2js";
import { LruMap } from "./lru.ts";

/**
 * Regular expressions in RE2's syntax, as Go's `regexp` reads them. They come from whoever may write a rule or
 * an object, so a search takes time linear in the text; how much it takes for each character is up to the
 * pattern, and who searches sets a bound.
 */
export type Pattern = RE2JS;

/** The text is no pattern; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Patterns are literals most of the time, and met again and again. */
const known = new LruMap<string, Pattern | PatternError>(256);
/** In characters: what is longer is not worth the memory. */
const longestKnown = 1000;

/** `beforeReading` is told of the length of a pattern that is new, and may throw. */
export function compilePattern(
  pattern: string,
  beforeReading?: (length: number) => void,
): Pattern | PatternError {
  const remembered = known.get(pattern);
  if (remembered !== undefined) return remembered;
  beforeReading?.(pattern.length);
  const compiled = read(pattern);
  if (pattern.length <= longestKnown) known.set(pattern, compiled);
  return compiled;
}

function read(pattern: string): Pattern | PatternError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return new PatternError(goMessage(error.message, pattern));
    throw error;
  }
}

/** Go always shows a part of the pattern, even if it is empty or the whole. */
function goMessage(message: string, pattern: string): string {
  if (message.endsWith("`")) return message;
  return `${message}: \`${message.endsWith("end of expression") ? "" : pattern}\``;
}

/** In instructions: what a search takes at most, some hundred million in a second. */
export const costOfSearch = (pattern: Pattern, text: string): number => text.length * pattern.programSize();
