import { BudgetExceeded } from "./effort.ts";
import type { Result } from "./values.ts";

/** The values of an expression's variables. A function is called once, when the variable is first read. */
export type Bindings = Readonly<Record<string, Result | (() => Result)>>;

/** The state of one evaluation. */
export class Frame {
  /** The cost so far, in units. Reading a variable costs one unit. */
  cost = 0;
  /** Variables of comprehensions by slot. An accumulator is undefined until it is read. */
  readonly locals: (Result | undefined)[];
  readonly #bindings: Bindings;
  readonly #budget: number;
  readonly #read = new Map<string, Result>();

  constructor(bindings: Bindings, locals: number, budget: number) {
    this.#bindings = bindings;
    this.locals = Array.from<undefined>({ length: locals });
    this.#budget = budget;
  }

  /** Adds to the cost. @throws BudgetExceeded */
  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.#budget) throw new BudgetExceeded();
  }

  variable(name: string): Result | undefined {
    if (!Object.hasOwn(this.#bindings, name)) return undefined;
    const bound = this.#bindings[name];
    return typeof bound === "function" ? this.#lazy(name, bound) : bound;
  }

  #lazy(name: string, bound: () => Result): Result {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const value = bound();
    this.#read.set(name, value);
    return value;
  }
}
