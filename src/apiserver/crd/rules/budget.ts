/** The remaining cost for the rules of one object, in units of CEL. */
export class Budget {
  #left: number;

  constructor(units: number) {
    this.#left = units;
  }

  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  /** Reports whether the budget had this much left. */
  spend(cost: number): boolean {
    const isEnough = cost <= this.#left;
    this.#left = isEnough ? this.#left - cost : 0;
    return isEnough;
  }

  /** Returns an equal budget. */
  fork(): Budget {
    return new Budget(this.#left);
  }
}
