/**
 * Sets of completion indexes as text, such as `1,3-5,7`. The indexes ascend and are less than the
 * completions.
 */

/** Thrown when a text is not a set of indexes. The message is upstream's (`apis/batch/validation`). */
export class IndexesError extends Error {
  override readonly name = "IndexesError";
}

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Returns the number of indexes in the text. @throws IndexesError */
export function countIndexes(text: string, completions: number): number {
  let previous: number | undefined;
  let total = 0;
  for (const part of partsOf(text)) {
    const { first, last } = parseInterval(part, completions);
    if (previous !== undefined && previous >= first) throw notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** Returns the first index in both texts; undefined without one. Malformed texts count as empty. */
export function commonIndex(a: string, b: string, completions: number): number | undefined {
  const [left, right] = [a, b].map((text) => partsOf(text).flatMap((part) => tryParse(part, completions)));
  let [i, j] = [0, 0];
  for (;;) {
    const [one, other] = [left?.[i], right?.[j]];
    if (one === undefined || other === undefined) return undefined;
    if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
    if (one.first <= other.first) i += 1;
    else j += 1;
  }
}

const partsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(","));

function tryParse(part: string, completions: number): readonly Interval[] {
  try {
    return [parseInterval(part, completions)];
  } catch (error) {
    if (error instanceof IndexesError) return [];
    throw error;
  }
}

function parseInterval(text: string, completions: number): Interval {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0) {
    throw new IndexesError(
      `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  }
  const first = parseIndex(low, completions);
  if (high === undefined) return { first, last: first };
  const last = parseIndex(high, completions);
  if (first >= last) throw notIncreasing(first, last);
  return { first, last };
}

function parseIndex(text: string, completions: number): number {
  if (!/^[+]?\d+$/.test(text)) {
    throw new IndexesError(`cannot convert string to integer for index: ${JSON.stringify(text)}`);
  }
  if (Number(text) >= completions) throw new IndexesError(`too large index: ${JSON.stringify(text)}`);
  return Number(text);
}

function notIncreasing(previous: number, current: number): IndexesError {
  return new IndexesError(`non-increasing order, previous: ${previous}, current: ${current}`);
}
