/** The allocation was stopped, because it takes more work than allowed. */
export class AllocationTimeout extends Error {
  override readonly name = "AllocationTimeout";

  constructor() {
    super("timed out trying to allocate devices");
  }
}

/**
 * Work counted in steps of less than a microsecond: a device that is looked at, a constraint that is checked. Upstream
 * bounds the time of a Filter instead (`filterTimeout`), which runs beside others; here a search holds the event loop.
 */
export class Effort {
  #left: number;
  readonly #outer: Effort | undefined;

  /** @param outer bounds the sum of several efforts, such as those for all nodes */
  constructor(steps: number, outer?: Effort) {
    this.#left = steps;
    this.#outer = outer;
  }

  /** @throws AllocationTimeout when no steps are left */
  spend(steps: number): void {
    this.#left -= steps;
    this.#outer?.spend(steps);
    if (this.#left < 0) throw new AllocationTimeout();
  }
}
