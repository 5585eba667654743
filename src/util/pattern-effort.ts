/** Estimates the effort of parsing a pattern without parsing it; a step is about fifty nanoseconds. */

const stepsPerCharacter = 16;
const stepsPerInstruction = 25;
/** A class such as `\pL` is a table of hundreds of ranges. */
const stepsPerTable = 4000;
/** The last character with another case: case-insensitive ranges are enumerated up to it. */
const lastCased = 0x1e943;

const ignoresCase = /\(\?[a-zA-Z]*i/;
const tables = /\\[pP]/g;
const rangeEnds = /-(?:\\x\{([\da-fA-F]+)\}|\\x([\da-fA-F]{2})|\\?([^]))/gu;
/** Quoted text, escapes and classes are one piece each; groups and counts are examined. */
const pieces =
  /\\Q[^]*?(?:\\E|$)|\\x\{[^}]{0,8}\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*(?:\]|$)|\{(\d+)(?:,(\d*))?\}|[^]/gu;

/** Returns the effort in steps: an approximation that is never much too low. */
export function effortOfPattern(pattern: string): number {
  const folding = ignoresCase.test(pattern) ? foldedCharacters(pattern) : 0;
  return (
    pattern.length * stepsPerCharacter +
    (pattern.match(tables)?.length ?? 0) * stepsPerTable +
    folding +
    instructions(pattern) * stepsPerInstruction
  );
}

function foldedCharacters(pattern: string): number {
  let total = 0;
  for (const [, long, short, plain] of pattern.matchAll(rangeEnds)) {
    const hex = long ?? short;
    const end = hex === undefined ? (plain?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16);
    total += Math.min(end, lastCased);
  }
  return total;
}

/** Returns the size of the program: a repeated piece counts once for each repetition. */
function instructions(pattern: string): number {
  if (!pattern.includes("{")) return 0;
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  for (const [piece, least, most] of pattern.matchAll(pieces)) {
    if (piece === "(") {
      outer.push(total);
      total = 0;
      last = 0;
    } else if (piece === ")") {
      last = total + 1;
      total = (outer.pop() ?? 0) + last;
    } else {
      const times = Math.max(Number(least ?? 1), Number(most ?? 1));
      const grown = least === undefined ? 1 : last * times;
      total += least === undefined ? 1 : grown - last;
      last = grown;
    }
  }
  return outer.reduce((sum, size) => sum + size, total);
}
