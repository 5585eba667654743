import { compilePattern, costOfSearch, PatternError } from "../../../util/pattern.ts";

/** The limit on instructions: at worst a fifth of a second, for most patterns a thousandth of that. */
const mostInstructions = 2 ** 24;
/** The number of instructions that take as long as one step of compiling a pattern. */
const instructionsPerStep = 8;

/**
 * The searches for a schema's patterns in one value. Their total time is limited, because they block the
 * event loop.
 */
export class PatternSearch {
  #left = mostInstructions;

  /** Returns the unmet requirement in upstream's words. */
  problemOf(text: string, pattern: string): string | undefined {
    const compiled = compilePattern(pattern, (steps) => {
      this.#left -= steps * instructionsPerStep;
    });
    if (compiled instanceof PatternError) {
      return `match '${pattern}, but pattern is invalid: ${compiled.message}'`;
    }
    this.#left -= costOfSearch(compiled, text);
    if (this.#left < 0) return `be short enough to be searched for '${pattern}'`;
    return compiled.test(text) ? undefined : `match '${pattern}'`;
  }
}
