import type { Frame } from "../frame.ts";
import type { Result, Value } from "../values.ts";

/** Works out a part of an expression. */
export type Step = (frame: Frame) => Result;

/** A part of an expression, ready to be evaluated. */
export interface Planned {
  readonly run: Step;
  /** Its value, where that is known already. Costs nothing. */
  readonly constant?: Value;
  /**
   * Of a variable or a path that starts with one or ends in a field: reads it without the unit that `run`
   * charges for reading one. Upstream charges that unit only where the whole path stands as a value.
   */
  readonly read?: Step;
}

export const constant = (value: Value): Planned => ({ run: () => value, constant: value });

/** A path: `run` is one unit dearer than `read`. */
export const path = (read: Step): Planned => ({
  read,
  run: (frame) => {
    const result = read(frame);
    frame.charge(1);
    return result;
  },
});

/** A path that starts with a conditional, which upstream does not charge that unit for. */
export const freePath = (read: Step): Planned => ({ read, run: read });

const isFree = ({ read, run }: Planned): boolean => read === run;

/** The path goes on from where it is. */
export function extend(from: Planned, next: (frame: Frame, container: Result) => Result): Planned {
  const read = from.read ?? from.run;
  const step: Step = (frame) => next(frame, read(frame));
  return isFree(from) ? freePath(step) : path(step);
}

/** A test at the end of a path has no unit of its own, and takes one back where there was none to begin with. */
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

/** The plan of a literal cannot be made: a conversion of a constant fails, for instance. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}
