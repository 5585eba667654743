import type { FieldError, FieldPath } from "../../meta/field-error.ts";

/** One expression of a webhook or policy. */
export interface ExpressionSite {
  /** What it must give: a boolean, text, any value (variable), an object or a list of operations. */
  readonly use:
    | "matchCondition"
    | "variable"
    | "validation"
    | "message"
    | "auditAnnotation"
    | "applyConfiguration"
    | "jsonPatch";
  readonly text: string;
  readonly path: FieldPath;
  /** The variable's name. */
  readonly name?: string;
}

/** What the expressions of one policy, or of one webhook, may use. */
export interface ExpressionScope {
  readonly hasParams: boolean;
  /** Whether there may be variables. */
  readonly hasVariables: boolean;
}

/** Asked about expressions in the order in which they stand: those after a variable can use it. */
export type ExpressionCheck = (site: ExpressionSite) => Iterable<FieldError>;

/**
 * Where an engine for CEL is plugged in: what is wrong with an expression, as errors at its path. Without one,
 * expressions are stored as they are.
 */
export type ExpressionChecker = (scope: ExpressionScope) => ExpressionCheck;

export const checkNothing: ExpressionChecker = () => () => [];
