import { priorityOf, startOf } from "./importance.ts";
import type { Candidate } from "../framework.ts";

/** Added to each priority in a sum, so that fewer victims of a negative priority are not worse than more. */
const priorityOffset = 2 ** 31;

/** The rules by which candidates are compared, in this order; the lower value is better (`pickOneNodeForPreemption`). */
const rules: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => highestPriority(victims),
  ({ victims }) => victims.reduce((sum, pod) => sum + priorityOf(pod) + priorityOffset, 0),
  ({ victims }) => victims.length,
  // The latest start among the most important victims.
  ({ victims }) => -earliestStart(victims),
];

/** The candidate that does the least harm; undefined without candidates. */
export function chooseCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const rule of rules) {
    if (left.length < 2) break;
    const values = left.map(rule);
    const least = Math.min(...values);
    left = left.filter((_, i) => values[i] === least);
  }
  return left[0];
}

function highestPriority(victims: Candidate["victims"]): number {
  return victims.reduce((highest, pod) => Math.max(highest, priorityOf(pod)), Number.NEGATIVE_INFINITY);
}

/** The earliest start of the victims with the highest priority. */
function earliestStart(victims: Candidate["victims"]): number {
  const highest = highestPriority(victims);
  return victims
    .filter((pod) => priorityOf(pod) === highest)
    .reduce((earliest, pod) => Math.min(earliest, startOf(pod)), Number.POSITIVE_INFINITY);
}
