import type { Expression } from "../ast.ts";
import type { Environment } from "../environment.ts";
import type { Reference } from "../names.ts";
import type { Planned, Step } from "./planned.ts";

/** The part of the planner that plans of expressions use to plan their parts. */
export interface PlanContext {
  readonly environment: Environment;
  /** The checker's reference of the expression; undefined when there is none. */
  reference(expression: Expression): Reference | undefined;
  /** Plans an expression. @throws PlanError */
  plan(expression: Expression): Planned;
  /** Allocates a slot for the variable `name`. Only expressions that `within` plans can use the variable. */
  withLocal<T>(name: string, initial: Step | undefined, within: (slot: number) => T): T;
}
