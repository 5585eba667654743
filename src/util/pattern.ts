import { RE2JS, RE2JSException } from "re2js";
import { LruMap } from "./lru.ts";
import { effortOfPattern } from "./pattern-effort.ts";

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
/** In steps, about a tenth of a second. Go reads what takes much longer, and then searches for as long. */
const mostEffort = 2 ** 21;

/** `beforeReading` is told what reading a pattern that is new takes (`effortOfPattern`), and may throw. */
export function compilePattern(
  pattern: string,
  beforeReading?: (steps: number) => void,
): Pattern | PatternError {
  const remembered = known.get(pattern);
  if (remembered !== undefined) return remembered;
  const effort = effortOfPattern(pattern);
  beforeReading?.(Math.min(effort, mostEffort));
  const compiled = effort > mostEffort ? tooLarge(pattern) : read(pattern);
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

const tooLarge = (pattern: string) =>
  new PatternError(`error parsing regexp: expression too large: \`${pattern}\``);

/** Go always shows a part of the pattern, even if it is empty or the whole. */
function goMessage(message: string, pattern: string): string {
  if (message.endsWith("`")) return message;
  return `${message}: \`${message.endsWith("end of expression") ? "" : pattern}\``;
}

/** In instructions: what a search takes at most, some hundred million in a second. */
export const costOfSearch = (pattern: Pattern, text: string): number => text.length * pattern.programSize();
