import { OldItems } from "../../../api/apiextensions/values/correlation.ts";
import { readJson } from "../../../cel/shape/values.ts";
import { type FieldError, type FieldPath, invalid, omitted } from "../../../meta/field-error.ts";
import type { Budget } from "./budget.ts";
import type { Ratchet } from "./ratchet.ts";
import type { RuleTree } from "./rule-tree.ts";
import { outOfBudget, runRule } from "./run-rule.ts";
import { isObject } from "../../../util/is-object.ts";

/** A value with its old value. */
export interface Place {
  readonly path: FieldPath;
  readonly value: unknown;
  /** Undefined without an old value, and when the old value cannot be determined. */
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Runs a schema's rules over a value and all nested values (apiextensions-apiserver
 * `schema/cel/validation.go`).
 */
export function runRules(tree: RuleTree, place: Place, budget: Budget): readonly FieldError[] {
  const run = new Run(budget);
  run.walk(tree, place);
  return run.errors;
}

class Run {
  readonly errors: FieldError[] = [];
  readonly #budget: Budget;
  #isOver = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Rules run only on existing values: a null is validated only by the rules of its parents. */
  walk(tree: RuleTree, place: Place): void {
    const { value } = place;
    if (this.#isOver || value === null || value === undefined) return;
    if (tree.rules.length > 0) this.#runHere(tree, place);
    if (Array.isArray(value)) this.#walkItems(tree, place, value);
    else if (isObject(value)) this.#walkFields(tree, place, value);
  }

  #runHere({ rules, shape, schema: { type = "" } }: RuleTree, { path, value, old, ratchet }: Place): void {
    if (this.#budget.isExhausted) {
      this.errors.push(invalid(path, type, outOfBudget));
      this.#isOver = true;
    }
    const subject = {
      path,
      type,
      shown: type === "object" || type === "array" ? omitted : value,
      self: readJson(value, shape),
      oldSelf: old === undefined || old === null ? undefined : readJson(old, shape),
    };
    for (const rule of rules) {
      if (this.#isOver) return;
      const found = runRule(rule, subject, this.#budget);
      if (found === undefined) continue;
      const { error, mayStay } = found;
      this.errors.push(mayStay && ratchet.isUnchanged ? { ...error, forgiven: true } : error);
      this.#isOver = found.isLast;
    }
  }

  #walkItems({ items, schema }: RuleTree, { path, old, ratchet }: Place, values: readonly unknown[]): void {
    if (items === undefined) return;
    const before = new OldItems(schema, old);
    for (const [i, value] of values.entries()) {
      this.walk(items, { path: path.index(i), value, old: before.find(value), ratchet: ratchet.index(i) });
    }
  }

  #walkFields({ additional, properties }: RuleTree, { path, old, ratchet }: Place, fields: Json): void {
    if (additional === undefined && properties.size === 0) return;
    for (const [key, value] of Object.entries(fields)) {
      const before = isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
      const inner = { value, old: before, ratchet: ratchet.key(key) };
      if (additional !== undefined) this.walk(additional, { ...inner, path: path.key(key) });
      const property = properties.get(key);
      if (property !== undefined) this.walk(property, { ...inner, path: path.child(key) });
    }
  }
}
