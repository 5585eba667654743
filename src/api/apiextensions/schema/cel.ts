import type { FieldError, FieldPath } from "../../../meta/field-error.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";

/**
 * The plug-in point of a CEL engine. The engine compiles rules, estimates their cost and applies them to
 * defaults. Without an engine, rules are stored unchecked.
 */
export type RuleChecker = (root: JSONSchemaProps, options: RuleOptions) => RuleRun;

export interface RuleOptions {
  /** Rules of the stored object. Stored rules may use features that new rules may not. */
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessages: ReadonlySet<string>;
  /** True when a single rule may exceed the cost limit, because the schema is already stored. */
  readonly ignoresCost: boolean;
}

/** The check of one schema, starting at the root. */
export interface RuleRun {
  /** Yields the CEL errors of the rules of one schema. The rules are otherwise valid. */
  checkRules(site: RuleSite): Iterable<FieldError>;
  /** Yields the errors of a default by the rules of its schema. */
  checkDefault(
    schema: JSONSchemaProps,
    value: unknown,
    path: FieldPath,
    isRoot: boolean,
  ): Iterable<FieldError>;
  /** Yields an error when the total cost of all rules exceeds the limit. */
  checkTotal(path: FieldPath): Iterable<FieldError>;
}

export interface RuleSite {
  readonly schema: JSONSchemaProps;
  readonly path: FieldPath;
  /**
   * The schemas from the root to this one. They bound the number of evaluations of a rule and define the type
   * of `self`.
   */
  readonly steps: readonly RuleStep[];
  /** The path nearest to the root below which old and new values cannot be correlated. */
  readonly uncorrelatable: FieldPath | undefined;
}

export interface RuleStep {
  readonly schema: JSONSchemaProps;
  /** The relation to the previous schema; `root` for the first one. */
  readonly by: "root" | "items" | "additionalProperties" | { readonly property: string };
}
