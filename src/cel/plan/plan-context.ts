import type { Expression } from "../ast.ts";
import type { Environment } from "../environment.ts";
import type { Reference } from "../names.ts";
import type { Planned, Step } from "./planned.ts";

/** The planner, as the plans of single kinds of expression use it: they plan their parts by it. */
export interface PlanContext {
  readonly environment: Environment;
  /** The name that the checker has resolved the expression to; undefined for none. */
  reference(expression: Expression): Reference | undefined;
  /** @throws PlanError */
  plan(expression: Expression): Planned;
  /** Gives the variable `name` a slot. Only the expressions that `within` plans can see the variable. */
  withLocal<T>(name: string, initial: Step | undefined, within: (slot: number) => T): T;
}
