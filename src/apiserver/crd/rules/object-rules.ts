import type { Correlation } from "../../../api/apiextensions/values/correlation.ts";
import type { JSONSchemaProps } from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { type FieldError, type FieldErrorReason, invalid, root } from "../../../meta/field-error.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { Budget } from "./budget.ts";
import { objectBudget } from "./definition-rules.ts";
import { Ratchet } from "./ratchet.ts";
import { ruleTree } from "./rule-tree.ts";
import { runRules } from "./run-rules.ts";

/**
 * Errors after which rules are not run, because they would fail (apiextensions-apiserver `hasBlockingErr`).
 */
const blocking: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** The CEL rules of one version of a custom resource. */
export class ObjectRules {
  readonly #schema: JSONSchemaProps;
  #tree: { readonly root: ReturnType<typeof ruleTree> } | undefined;

  constructor(schema: JSONSchemaProps) {
    this.#schema = schema;
  }

  /** `found` are the object's errors apart from rules. */
  *validate(
    object: KubeObject,
    old: KubeObject | undefined,
    correlation: Correlation | undefined,
    found: readonly FieldError[],
  ): Generator<FieldError> {
    // Compiled at the first use, because many served versions are never written.
    this.#tree ??= { root: ruleTree(this.#schema, true) };
    const tree = this.#tree.root;
    if (tree === undefined) return;
    if (found.some(({ reason }) => blocking.has(reason))) {
      const why = "some validation rules were not checked because the object was invalid";
      yield invalid(root, null, `${why}; correct the existing errors to complete validation`);
      return;
    }
    const ratchet = new Ratchet(correlation, undefined);
    const place = { path: root, value: object, old, ratchet };
    yield* runRules(tree, place, new Budget(objectBudget));
  }
}
