import { RE2JS, RE2JSException } from "re2js";
import { LruMap } from "../util/lru.ts";
import { spend } from "./effort.ts";
import { codeUnitOf } from "./text.ts";
import { CelError, type Int, type Value } from "./values.ts";

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

/** Nothing says how far a search looks behind what it finds, but most do not look far. */
const instructionsPerStepAgain = 32;

/**
 * The leftmost parts of the text that the pattern matches, at most `most` of them, or all if that is negative
 * (Go's `FindAllString`): an empty one never right behind another. @throws BudgetExceeded
 */
export function findAll(text: string, pattern: string, most: Int): readonly string[] | CelError {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const size = compiled.programSize();
  spend((text.length * size) / instructionsPerStep);
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  const wanted = most < 0 ? Number.POSITIVE_INFINITY : Number(most);
  let lastEnd = -1;
  let at = 0;
  while (at <= text.length && found.length < wanted) {
    if (!matcher.find(at)) break;
    spend(1 + ((text.length - at) * size) / instructionsPerStepAgain);
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start || start !== lastEnd) found.push(text.slice(start, end));
    at = end > start ? end : Math.max(end + 1, codeUnitOf(text, 1, end));
    lastEnd = end;
  }
  return found;
}

/** Whether a literal is a pattern. */
export const isPattern = (literal: Value) =>
  typeof literal === "string" && !(compilePattern(literal) instanceof CelError);
