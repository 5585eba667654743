/**
 * Work that upstream's costs do not see: comparing two objects costs next to nothing there, however large they
 * are, and so does adding up texts whose types only the values tell. An evaluation may do four such steps
 * for each unit of its budget; they do not show in its cost. Evaluations never overlap, so one counter serves.
 */
const stepsPerUnit = 4;
/** Without a budget; also keeps texts shorter than the longest that there can be. */
const most = 2 ** 24;

/** Ends an evaluation that costs more than it may. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

let left = Number.POSITIVE_INFINITY;

/** @throws BudgetExceeded */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new BudgetExceeded();
}

/** For a text or bytes of this length that are made. @throws BudgetExceeded */
export const spendOnText = (length: number) => spend(length / 16);

/** An evaluation with this budget; others may be within it, which have budgets of their own. */
export const limited = <T>(budget: number, evaluate: () => T): T =>
  within(Math.min(budget * stepsPerUnit, most), evaluate);

/** More than the largest request holds. */
const mostParts = 2 ** 20;

/** Takes a value apart, which must end also where no evaluation is around it. @throws BudgetExceeded */
export const bounded = <T>(work: () => T): T =>
  left === Number.POSITIVE_INFINITY ? within(mostParts, work) : work();

/** For a compilation: half a second at most. */
const mostToCompile = 2 ** 23;

/** What compilations still have that share their steps. */
let shared: number | undefined;

/** Reads, checks and plans an expression in at most `mostToCompile` steps; otherwise something else comes out. */
export const compiling = <T, R>(work: () => T, otherwise: () => R): T | R => {
  try {
    return within(shared ?? mostToCompile, () => {
      try {
        return work();
      } finally {
        if (shared !== undefined) shared = left;
      }
    });
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return otherwise();
  }
};

/**
 * Bounds what compiles the expressions of one object: together they may take no more steps than one alone. Upstream has
 * no such bound; it compiles in parallel to all else, and here nothing else happens meanwhile. Items are made one by
 * one, as they are asked for.
 */
export function* compilingTogether<T>(items: Iterable<T>): Generator<T> {
  const iterator = items[Symbol.iterator]();
  let budget = mostToCompile;
  for (;;) {
    const outer = shared;
    shared = outer ?? budget;
    let next;
    try {
      next = iterator.next();
      budget = shared;
    } finally {
      shared = outer === undefined ? undefined : shared;
    }
    if (next.done === true) return;
    yield next.value;
  }
}

function within<T>(steps: number, work: () => T): T {
  const outer = left;
  left = steps;
  try {
    return work();
  } finally {
    left = outer;
  }
}
