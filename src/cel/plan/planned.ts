import type { Frame } from "../frame.ts";
import type { Result, Value } from "../values.ts";

/** Evaluates a part of an expression. */
export type Step = (frame: Frame) => Result;

/** The plan of a part of an expression. */
export interface Planned {
  readonly run: Step;
  /** The value, if it is constant. A constant is free. */
  readonly constant?: Value;
  /**
   * Reads a variable, or a path that starts with a variable or ends in a field, without the unit that `run`
   * charges. Upstream charges that unit only once, for the whole path.
   */
  readonly read?: Step;
}

export const constant = (value: Value): Planned => ({ run: () => value, constant: value });

/** Plans a path: `run` costs one unit more than `read`. */
export const path = (read: Step): Planned => ({
  read,
  run: (frame) => {
    const result = read(frame);
    frame.charge(1);
    return result;
  },
});

/** Plans a path that starts with a conditional, for which upstream does not charge the unit. */
export const freePath = (read: Step): Planned => ({ read, run: read });

const isFree = ({ read, run }: Planned): boolean => read === run;

/** Extends a path by one part. */
export function extend(from: Planned, next: (frame: Frame, container: Result) => Result): Planned {
  const read = from.read ?? from.run;
  const step: Step = (frame) => next(frame, read(frame));
  return isFree(from) ? freePath(step) : path(step);
}

/**
 * Ends a path in a presence test. The path's unit is not charged. If the path had no such unit, upstream
 * subtracts one.
 */
export function endInTest(from: Planned, next: (frame: Frame, container: Result) => Result): Planned {
  const read = from.read ?? from.run;
  if (!isFree(from)) return { run: (frame) => next(frame, read(frame)) };
  return {
    run: (frame) => {
      const result = next(frame, read(frame));
      frame.charge(-1);
      return result;
    },
  };
}

/** Thrown when the plan of a literal fails, for example in a conversion of a constant. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}
