import type { FieldError, FieldPath } from "../../meta/field-error.ts";

/** One expression of a webhook or policy. */
export interface ExpressionSite {
  /**
   * The result type of the expression: a boolean, text, any value (variable), an object or a list of
   * operations.
   */
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

/** The names that the expressions of one policy or webhook can use. */
export interface ExpressionScope {
  readonly hasParams: boolean;
  /** The presence of `variables`. */
  readonly hasVariables: boolean;
}

/**
 * Checks one expression. Called in the order of the source, because an expression can use the variables
 * before it.
 */
export type ExpressionCheck = (site: ExpressionSite) => Iterable<FieldError>;

/**
 * The plug-in point of a CEL engine. Yields the errors of an expression, at the expression's path. Without a
 * checker, expressions are stored unchecked.
 */
export type ExpressionChecker = (scope: ExpressionScope) => ExpressionCheck;

export const checkNothing: ExpressionChecker = () => () => [];
