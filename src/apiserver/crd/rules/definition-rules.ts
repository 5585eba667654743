import type { RuleChecker, RuleRun, RuleSite, RuleStep } from "../../../api/apiextensions/schema/cel.ts";
import type {
  JSONSchemaProps,
  ValidationRule,
} from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { compiling } from "../../../cel/effort.ts";
import { type FieldError, type FieldPath, forbidden, internal, invalid } from "../../../meta/field-error.ts";
import { Budget } from "./budget.ts";
import { type CompiledRule, compileRules, type Expression } from "./compiled-rule.ts";
import { Ratchet } from "./ratchet.ts";
import { ruleTree, type RuleTreeParts } from "./rule-tree.ts";
import { type Place, runRules } from "./run-rules.ts";
import { isResource, maxRequestSize, shapeOf, type SizedShape } from "../../../expressions/schema-shape.ts";

/**
 * Cost limits in units of CEL: the cost of all rules of an object at run time, and the limits of estimates.
 */
export const objectBudget = 10_000_000;
const ruleLimit = 10_000_000;
const totalLimit = 100_000_000;

const noType = "unable to convert structural schema to CEL declarations";

/** Checks rules when a definition is written (`validateCustomResourceDefinitionOpenAPISchema`). */
export const checkRules: RuleChecker = (_, { ignoresCost }) => new Check(ignoresCost);

/** The check of one schema. */
class Check implements RuleRun {
  readonly #ignoresCost: boolean;
  readonly #budget = new Budget(objectBudget);
  readonly #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];
  readonly #shapes = new Map<JSONSchemaProps, SizedShape | string | undefined>();
  /** Schemas whose types take too long get no rules to run on defaults, because they are refused anyway. */
  readonly #parts: RuleTreeParts = {
    trees: new Map(),
    shapeOf: (schema, isRoot) => {
      const sized = this.#shapeOf(schema, isRoot);
      return typeof sized === "object" ? sized.shape : undefined;
    },
  };
  #total = 0;

  constructor(ignoresCost: boolean) {
    this.#ignoresCost = ignoresCost;
  }

  *checkRules({ schema, path, steps, uncorrelatable }: RuleSite): Generator<FieldError> {
    const place = path.child("x-kubernetes-validations");
    const sized = this.#shapeOf(schema, steps.length === 1 || isResource(schema));
    if (typeof sized !== "object") {
      const why = "failed to construct type information for x-kubernetes-validations rules";
      yield internal(place, `internal error: ${why}: ${sized ?? noType}`);
      return;
    }
    const times = timesIn(steps) ?? Math.floor(maxRequestSize / (sized.minSize + 1));
    const rules = compileRules(schema["x-kubernetes-validations"] ?? [], schema, sized.shape);
    for (const [i, rule] of rules.entries()) {
      yield* this.#checkCondition(rule, place.index(i), times);
      yield* this.#checkMessage(rule, place.index(i));
      yield* checkOldSelf(rule, place.index(i), uncorrelatable);
    }
  }

  /** Returns the shape, or an error; undefined for values that rules cannot read. */
  #shapeOf(schema: JSONSchemaProps, isRoot: boolean): SizedShape | string | undefined {
    if (this.#shapes.has(schema)) return this.#shapes.get(schema);
    const sized = compiling(
      () => shapeOf(schema, isRoot),
      () => "expressions take too long to compile",
    );
    this.#shapes.set(schema, sized);
    return sized;
  }

  *#checkCondition({ rule, condition }: CompiledRule, path: FieldPath, times: number): Generator<FieldError> {
    const place = path.child("rule");
    yield* this.#checkCost(condition, "estimated rule cost", place, times);
    if (condition?.program === undefined && condition !== undefined) {
      yield invalid(place, asGo(rule), condition.error);
    }
  }

  *#checkMessage({ rule, message }: CompiledRule, path: FieldPath): Generator<FieldError> {
    const place = path.child("messageExpression");
    if (message === undefined) return;
    if (message.program === undefined) yield invalid(place, asGo(rule), message.error);
    else yield* this.#checkCost(message, "estimated messageExpression cost", place, 1);
  }

  *#checkCost(
    expression: Expression | undefined,
    what: string,
    path: FieldPath,
    times: number,
  ): Generator<FieldError> {
    const cost = expression?.program === undefined ? 0 : expression.maxCost * times;
    if (cost > ruleLimit && !this.#ignoresCost) yield forbidden(path, tooMuch(what, cost / ruleLimit));
    this.#total += cost;
    if (cost >= totalLimit / 100) this.#expensive.push({ path, cost });
  }

  /** Checks a default both as a new value and as an unchanged one. */
  *checkDefault(
    schema: JSONSchemaProps,
    value: unknown,
    path: FieldPath,
    isRoot: boolean,
  ): Generator<FieldError> {
    const tree = this.#budget.isExhausted
      ? undefined
      : ruleTree(schema, isRoot || isResource(schema), this.#parts);
    if (tree === undefined) return;
    const place: Place = { path, value, old: undefined, ratchet: Ratchet.none };
    const created = this.#budget.fork();
    const found = runRules(tree, { ...place, old: value }, this.#budget);
    yield* found;
    if (found.length === 0) yield* runRules(tree, place, created);
  }

  *checkTotal(path: FieldPath): Generator<FieldError> {
    if (this.#total <= totalLimit) return;
    const most = this.#expensive.toSorted((a, b) => b.cost - a.cost).slice(0, 4);
    const why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    for (const one of most) yield forbidden(one.path, why);
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    yield forbidden(path, tooMuch(what, this.#total / totalLimit));
  }
}

function* checkOldSelf(
  { rule, usesOldSelf }: CompiledRule,
  path: FieldPath,
  uncorrelatable: FieldPath | undefined,
): Generator<FieldError> {
  if (usesOldSelf && uncorrelatable !== undefined) {
    const why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
    yield invalid(path.child("rule"), rule.rule, `${why} ${uncorrelatable.toString()}`);
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = "may not be set if oldSelf is not used in rule";
    yield invalid(path.child("optionalOldSelf"), rule.optionalOldSelf, why);
  }
}

/**
 * Returns the number of times that a value can occur in one object; undefined when only the size of a request
 * limits it.
 */
function timesIn(steps: readonly RuleStep[]): number | undefined {
  const factors = steps.slice(0, -1).map(({ schema }) => {
    if (schema.type === "array") return schema.maxItems;
    return schema.type === "object" && schema.additionalProperties !== undefined ? schema.maxProperties : 1;
  });
  return factors.reduce<number | undefined>(
    (product, factor) =>
      product === undefined || factor === undefined ? undefined : product * Math.max(factor, 0),
    1,
  );
}

/** Formats a rule as upstream. */
function asGo(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function tooMuch(what: string, factor: number): string {
  const times = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}
