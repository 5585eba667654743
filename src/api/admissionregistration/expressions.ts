import type { FieldError, FieldPath } from "../../meta/field-error.ts";
import type { Variable } from "./v1/policy.ts";

/** One expression of a webhook or policy, with what decides how it is compiled. */
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
  readonly hasParams: boolean;
  /** Variables that it can use. */
  readonly variables: readonly Variable[];
  /** Whether the stored object has it already: then it may use what is no longer allowed in new ones. */
  readonly isStored: boolean;
}

/**
 * Where an engine for CEL is plugged in: what is wrong with an expression, as errors at its path. Without one,
 * expressions are stored as they are.
 */
export type ExpressionChecker = (site: ExpressionSite) => Iterable<FieldError>;
