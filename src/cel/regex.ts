import { RE2JS, RE2JSException } from "re2js";
import { LruMap } from "../util/lru.ts";
import { spend } from "./effort.ts";
import { CelError, type Value } from "./values.ts";

/**
 * Patterns in RE2's syntax. They come from whoever may write a rule or an object, so a search takes time linear
 * in the text; how much it takes for each character is up to the pattern.
 */

/** Patterns are literals most of the time, and evaluated again and again. */
const known = new LruMap<string, RE2JS | CelError>(256);
/** In characters: what is longer is not worth the memory. */
const longestKnown = 1000;

const stepsToReadCharacter = 16;
const instructionsPerStep = 16;

/** The pattern, or what is wrong with it in Go's words. @throws BudgetExceeded */
export function compilePattern(pattern: string): RE2JS | CelError {
  const remembered = known.get(pattern);
  if (remembered !== undefined) return remembered;
  spend(pattern.length * stepsToReadCharacter);
  const compiled = read(pattern);
  if (pattern.length <= longestKnown) known.set(pattern, compiled);
  return compiled;
}

function read(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return new CelError(error.message);
    throw error;
  }
}

/** Whether the pattern matches a part of the text. @throws BudgetExceeded */
export function matches(text: string, pattern: string): boolean | CelError {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return compiled;
  spend((text.length * compiled.programSize()) / instructionsPerStep);
  return compiled.test(text);
}

/** Whether a literal is a pattern. */
export const isPattern = (literal: Value) =>
  typeof literal === "string" && !(compilePattern(literal) instanceof CelError);
