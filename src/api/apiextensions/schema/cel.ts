import type { FieldError, FieldPath } from "../../../meta/field-error.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";

/**
 * Where an engine for CEL is plugged in: it alone knows whether rules compile, what they cost and what they say
 * of a default. Without one, rules are stored as they are.
 */
export type RuleChecker = (root: JSONSchemaProps, options: RuleOptions) => RuleRun;

export interface RuleOptions {
  /** Expressions that the stored object has already: they may use what is no longer allowed in new ones. */
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessages: ReadonlySet<string>;
  /** Whether a single rule may cost too much, because the schema is stored already. */
  readonly ignoresCost: boolean;
}

/** The check of one schema, from its root down. */
export interface RuleRun {
  /** What is wrong with the rules at one place, which are valid but for what CEL says of them. */
  checkRules(site: RuleSite): Iterable<FieldError>;
  /** What is wrong with a default by the rules of its schema. */
  checkDefault(
    schema: JSONSchemaProps,
    value: unknown,
    path: FieldPath,
    isRoot: boolean,
  ): Iterable<FieldError>;
  /** What is wrong with all rules together: what they may cost. */
  checkTotal(path: FieldPath): Iterable<FieldError>;
}

export interface RuleSite {
  readonly schema: JSONSchemaProps;
  readonly path: FieldPath;
  /** From the root's schema to this one: they bound how often a rule runs, and say what `self` is. */
  readonly steps: readonly RuleStep[];
  /** The nearest place to the root below which old and new values cannot be told to belong together. */
  readonly uncorrelatable: FieldPath | undefined;
}

export interface RuleStep {
  readonly schema: JSONSchemaProps;
  /** How the schema follows from the one before it; `root` for the first. */
  readonly by: "root" | "items" | "additionalProperties" | { readonly property: string };
}
