/**
 * The steps of an evaluation per unit of its budget. Steps bound work that upstream's costs exclude, such as
 * comparing large objects or concatenating texts of type dyn. They do not count as cost. One counter
 * suffices, because evaluations never overlap.
 */
const stepsPerUnit = 4;
/** The maximum number of steps without a budget. It also keeps texts shorter than JavaScript's limit. */
const most = 2 ** 24;

/** Thrown when an evaluation exceeds its budget. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

let left = Number.POSITIVE_INFINITY;

/** Takes steps from the budget. @throws BudgetExceeded */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new BudgetExceeded();
}

/** Takes the steps for making a text or bytes of this length. @throws BudgetExceeded */
export const spendOnText = (length: number) => spend(length / 16);

/** Runs an evaluation with this budget. Nested evaluations have their own budgets. */
export const limited = <T>(budget: number, evaluate: () => T): T =>
  within(Math.min(budget * stepsPerUnit, most), evaluate);

/** More parts than the largest request has. */
const mostParts = 2 ** 20;

/**
 * Runs work on the parts of a value. Outside of an evaluation, a limit applies as well. @throws
 * BudgetExceeded
 */
export const bounded = <T>(work: () => T): T =>
  left === Number.POSITIVE_INFINITY ? within(mostParts, work) : work();

/** The maximum number of steps of a compilation, half a second. */
const mostToCompile = 2 ** 23;

/** The remaining steps of compilations that share them. */
let shared: number | undefined;

/** Runs a compilation in at most `mostToCompile` steps. Returns `otherwise()` if it takes more. */
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
 * Bounds the compilation of all expressions of one object: together, they take no more steps than one
 * expression may. Upstream has no such bound, because it compiles in parallel to other requests. Here
 * compiling blocks the event loop. Items are made lazily, one by one.
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
