import { compilePattern as compile, costOfSearch, type Pattern, PatternError } from "../util/pattern.ts";
import { spend } from "./effort.ts";
import { codeUnitOf } from "./text.ts";
import { CelError, type Int, type Value } from "./values.ts";

/** Pattern searches within the budget of the evaluation. */

const instructionsPerStep = 16;

/** Compiles a pattern, or returns the error in Go's words. @throws BudgetExceeded */
export function compilePattern(pattern: string): Pattern | CelError {
  const compiled = compile(pattern, spend);
  return compiled instanceof PatternError ? new CelError(compiled.message) : compiled;
}

/** Reports whether the pattern matches a part of the text. @throws BudgetExceeded */
export function matches(text: string, pattern: string): boolean | CelError {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return compiled;
  spend(costOfSearch(compiled, text) / instructionsPerStep);
  return compiled.test(text);
}

/**
 * The instructions per step of a repeated search. A search may read far beyond its match, but most do not.
 */
const instructionsPerStepAgain = 32;

/**
 * Returns the leftmost matches, at most `most` of them, or all if `most` is negative (Go's `FindAllString`).
 * An empty match directly after another match is skipped. @throws BudgetExceeded
 */
export function findAll(text: string, pattern: string, most: Int): readonly string[] | CelError {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const size = compiled.programSize();
  spend(costOfSearch(compiled, text) / instructionsPerStep);
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

/** Reports whether a literal is a valid pattern. */
export const isPattern = (literal: Value) =>
  typeof literal === "string" && !(compilePattern(literal) instanceof CelError);
