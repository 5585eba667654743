import { type CostModel, sizeAt, traversal } from "../cost/model.ts";
import { plus, type Range, times } from "../cost/range.ts";

/**
 * The cost of a replacement, and the bounds of the result's size. The estimates are upstream's
 * (`k8s.io/apiserver/pkg/cel/library/cost.go`).
 */
export const replacement: CostModel = {
  estimate: (args) => {
    const text = sizeAt(args, 0);
    const part = sizeAt(args, 1);
    const by = sizeAt(args, 2);
    const least = shortest(text.min, part, by);
    const most = longest(text.max, part, by);
    const count: Range = { min: least.count, max: most.count };
    const kept: Range = { min: least.kept, max: most.kept };
    return { cost: twice.estimate(args).cost, size: plus(times(count, by), kept) };
  },
  actual: (args) => twice.actual(args, null),
};

/** The cost of reading the text and making a new one. */
const twice = traversal(0, 2);

interface Replacements {
  /** The number of replacements. */
  readonly count: number;
  /** The length of the text that is not replaced. */
  readonly kept: number;
}

/** The longest result: the shortest part is replaced as often as possible, if that makes the text longer. */
function longest(length: number, part: Range, by: Range): Replacements {
  if (part.min === 0) return { count: length + 1, kept: length };
  if (by.max <= part.min) return { count: 0, kept: length };
  return { count: Math.ceil(length / part.min), kept: 0 };
}

/** The shortest result: the longest part is replaced as often as possible, if that makes the text shorter. */
function shortest(length: number, part: Range, by: Range): Replacements {
  if (part.max === 0) return { count: length + 1, kept: length };
  if (part.max <= by.min) return { count: 0, kept: length };
  return { count: Math.ceil(length / part.max), kept: 0 };
}
