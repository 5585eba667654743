import type { BpfProgram, Target } from "./bpf-program.ts";
import { addCondition } from "./conditions.ts";
import type { Outcome } from "./decisions.ts";

/** The numbers of system calls from `from` to the next range's, which have one outcome. */
export interface Range {
  readonly from: number;
  readonly outcome: Outcome;
  /** The parts of an argument that are compared: 1 for 32-bit interfaces. */
  readonly words: 1 | 2;
}

/** Joins neighbours that return the same value. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  return ranges.filter(({ outcome }, i) => typeof outcome !== "number" || outcome !== ranges[i - 1]?.outcome);
}

/**
 * Adds a balanced binary tree that finds the range of the accumulator's number. `ranges` are ascending, and the first
 * one begins at the smallest number that can occur.
 */
export function addTree(program: BpfProgram, ranges: readonly Range[], otherwise: number): Target {
  const middle = ranges.length >> 1;
  const right = ranges[middle];
  if (right === undefined) return { value: otherwise };
  if (middle === 0) return addOutcome(program, right, otherwise);
  const no = addTree(program, ranges.slice(0, middle), otherwise);
  const yes = addTree(program, ranges.slice(middle), otherwise);
  return program.compare("jumpGreaterOrEqual", right.from, yes, no);
}

/** Adds the alternatives of a call: the first that matches decides. */
function addOutcome(program: BpfProgram, { outcome, words }: Range, otherwise: number): Target {
  if (typeof outcome === "number") return { value: outcome };
  let next: Target = { value: otherwise };
  for (const { conditions, verdict } of outcome.toReversed()) {
    const no = next;
    next = { value: verdict };
    for (const condition of conditions.toReversed())
      next = addCondition(program, condition, words, { yes: next, no });
  }
  return next;
}
