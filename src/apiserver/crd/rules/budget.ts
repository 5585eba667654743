/** What the rules of one object may still cost, in units of CEL. */
export class Budget {
  #left: number;

  constructor(units: number) {
    this.#left = units;
  }

  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  /** Whether there was as much left. */
  spend(cost: number): boolean {
    const isEnough = cost <= this.#left;
    this.#left = isEnough ? this.#left - cost : 0;
    return isEnough;
  }

  /** An equal budget. */
  fork(): Budget {
    return new Budget(this.#left);
  }
}
