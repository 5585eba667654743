import { check, type Checked } from "./check.ts";
import { estimateCost } from "./cost/estimate.ts";
import type { SizeEstimator } from "./cost/knowledge.ts";
import type { Range } from "./cost/range.ts";
import type { Environment } from "./environment.ts";
import { BudgetExceeded, compiling, limited } from "./effort.ts";
import { type Bindings, Frame } from "./frame.ts";
import { parse } from "./parser.ts";
import { Planner } from "./plan/planner.ts";
import { PlanError, type Step } from "./plan/planned.ts";
import { type Issue, renderIssues } from "./source.ts";
import { dyn } from "./types.ts";
import type { Type } from "./type.ts";
import { validateLiterals } from "./validate.ts";
import { CelError, type Result } from "./values.ts";

export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false;
      /** Upstream's name of the stage. An invalid constant conversion only fails at instantiation. */
      readonly stage: "compilation" | "instantiation";
      readonly message: string;
      readonly issues: readonly Issue[];
      /** The type, if the checker found no errors. */
      readonly type?: Type;
    };

/** Parses, checks and plans an expression. Refuses an expression that takes too long (`effort.ts`). */
export function compile(environment: Environment, source: string): Compilation {
  return compiling(
    () => compileWhole(environment, source),
    () => failed(source, [{ message: "expressions take too long to compile", offset: undefined }]),
  );
}

function compileWhole(environment: Environment, source: string): Compilation {
  const parsed = parse(source, environment);
  if (!parsed.ok) return failed(source, parsed.issues);
  const { checked, issues } = check(environment, parsed.expression);
  if (issues.length > 0) return failed(source, issues);
  const nonsense = validateLiterals(checked);
  if (nonsense.length > 0) return failed(source, nonsense);
  try {
    const planner = new Planner(environment, checked);
    const step = planner.plan(checked.expression).run;
    return { ok: true, program: new Program(environment, checked, step, planner.slots) };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const type = typeOf(checked);
    return { ok: false, stage: "instantiation", message: error.message, issues: [], type };
  }
}

const typeOf = ({ types, expression }: Checked): Type => types[expression.id] ?? dyn;

function failed(source: string, issues: readonly Issue[]): Compilation {
  return { ok: false, stage: "compilation", message: renderIssues(source, issues), issues };
}

export interface Evaluation {
  readonly result: Result;
  /** The cost, also of a failed evaluation. */
  readonly cost: number;
}

/** A compiled expression, which can be evaluated any number of times. */
export class Program {
  readonly checked: Checked;
  readonly #environment: Environment;
  readonly #step: Step;
  readonly #slots: number;

  constructor(environment: Environment, checked: Checked, step: Step, slots: number) {
    this.#environment = environment;
    this.checked = checked;
    this.#step = step;
    this.#slots = slots;
  }

  get type(): Type {
    return typeOf(this.checked);
  }

  /** Reports whether the expression reads this variable of its environment. */
  uses(variable: string): boolean {
    return this.checked.references.some(
      (reference) => reference?.kind === "variable" && reference.name === variable,
    );
  }

  /** Estimates the minimum and maximum cost of an evaluation from the sizes of its inputs. */
  estimate(sizes: SizeEstimator): Range {
    return estimateCost(this.#environment, this.checked, sizes);
  }

  /**
   * Evaluates the expression. Never throws, whatever the expression and the values. The budget bounds the
   * time as well as the cost, because an evaluation cannot be interrupted.
   */
  evaluate(bindings: Bindings, budget = Number.POSITIVE_INFINITY): Evaluation {
    const frame = new Frame(bindings, this.#slots, budget);
    try {
      return { result: limited(budget, () => this.#step(frame)), cost: frame.cost };
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      return { result: costLimitExceeded, cost: frame.cost };
    }
  }
}

const costLimitExceeded = new CelError("operation cancelled: actual cost limit exceeded");
