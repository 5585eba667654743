import { compilePattern, costOfSearch, PatternError } from "../../../util/pattern.ts";

/** In instructions: a tenth of a second or two at worst; for most patterns a thousandth of that. */
const mostInstructions = 2 ** 24;
/** In instructions: a step of reading a pattern takes as long. */
const instructionsPerStep = 8;

/** The searches for a schema's patterns in one value: together, they may not hold up the server. */
export class PatternSearch {
  #left = mostInstructions;

  /** What the text should do and does not, in upstream's words. */
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
