import { RE2JS, RE2JSException } from "re2js";
import { LruMap } from "./lru.ts";
import { effortOfPattern } from "./pattern-effort.ts";

/**
 * Regular expressions in RE2's syntax, as Go's `regexp` reads them. They come from anyone who may write a
 * rule or an object, so a search takes time linear in the text. The time for each character depends on the
 * pattern, and the caller bounds it.
 */
export type Pattern = RE2JS;

/** The text is no pattern; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Most patterns are literals that are used repeatedly. */
const known = new LruMap<string, Pattern | PatternError>(256);
/** Longer patterns, in characters, are not worth the memory. */
const longestKnown = 1000;
/** Steps, about a tenth of a second. Go accepts more expensive patterns, whose searches take as long. */
const mostEffort = 2 ** 21;

/** `beforeReading` receives the effort of parsing a new pattern (`effortOfPattern`), and may throw. */
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

/** Go always shows a part of the pattern, even if that is empty or the whole. */
function goMessage(message: string, pattern: string): string {
  if (message.endsWith("`")) return message;
  return `${message}: \`${message.endsWith("end of expression") ? "" : pattern}\``;
}

/** Returns the greatest cost of a search in instructions; a second is about a hundred million. */
export const costOfSearch = (pattern: Pattern, text: string): number => text.length * pattern.programSize();
