import type { ValidationRule } from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import type { Bindings } from "../../../cel/frame.ts";
import { CelError, Optional, type Result } from "../../../cel/values.ts";
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../meta/field-error.ts";
import type { Budget } from "./budget.ts";
import type { CompiledRule, Expression } from "./compiled-rule.ts";

/** The value that a rule validates. */
export interface Subject {
  readonly path: FieldPath;
  /** The schema's name of the value's type. */
  readonly type: string;
  /** The value as errors show it. */
  readonly shown: unknown;
  readonly self: Result;
  /** Undefined without an old value, and when the old value cannot be determined. */
  readonly oldSelf: Result | undefined;
}

/** An error of the value. */
export interface Finding {
  readonly error: FieldError;
  /** True if the error is tolerated in an unchanged value; false for rules about changes. */
  readonly mayStay: boolean;
  /** True if the budget is spent and no other rule may run. */
  readonly isLast: boolean;
}

/** The greatest cost of one evaluation, in units of CEL (apiserver `apis/cel/config.go`). */
const callLimit = 1_000_000;
const isCallLimit = ({ message }: CelError) =>
  message.startsWith("operation cancelled: actual cost limit exceeded");

/** The greatest length of a messageExpression's result in bytes. */
const maxMessage = 5 * 1024;

export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** Returns undefined for a valid value (apiextensions-apiserver `validateExpressions`). */
export function runRule(compiled: CompiledRule, subject: Subject, budget: Budget): Finding | undefined {
  const { rule, condition, usesOldSelf } = compiled;
  const isOptional = rule.optionalOldSelf === true;
  if (condition === undefined) return undefined;
  if (condition.program === undefined) return failure(subject, `rule compile error: ${condition.error}`);
  if (usesOldSelf && subject.oldSelf === undefined && !isOptional) return undefined;
  const { result, cost } = condition.program.evaluate((isOptional ? optional : plain)(subject), callLimit);
  if (!budget.spend(cost)) return failure(subject, outOfBudget, true);
  if (result instanceof CelError) return failureOf(result, rule, subject);
  return result === true ? undefined : breachOf(compiled, subject, budget);
}

const plain = ({ self, oldSelf }: Subject): Bindings => ({
  self,
  ...(oldSelf === undefined ? {} : { oldSelf }),
});

const optional = ({ self, oldSelf }: Subject): Bindings => ({
  self,
  oldSelf:
    oldSelf === undefined ? Optional.none : oldSelf instanceof CelError ? oldSelf : Optional.of(oldSelf),
});

function failure({ path, type }: Subject, detail: string, isLast = false): Finding {
  return { error: invalid(path, type, detail), mayStay: false, isLast };
}

function textOf({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

/** Returns the error of a rule that could not be evaluated. */
function failureOf(error: CelError, rule: ValidationRule, subject: Subject): Finding {
  const { message } = error;
  if (isCallLimit(error)) {
    const why = "no further validation rules will be run due to call cost exceeds limit for rule";
    return failure(subject, `'${message}': ${why}: ${textOf(rule)}`, true);
  }
  if (message.startsWith("no such overload")) {
    const why = "call arguments did not match a supported operator, function or macro signature for rule";
    return failure(subject, `'${message}': ${why}: ${textOf(rule)}`);
  }
  return failure(subject, `${message} evaluating rule: ${textOf(rule)}`);
}

/** Returns the error of an invalid value. */
function breachOf(
  { rule, message, usesOldSelf, fieldPath }: CompiledRule,
  subject: Subject,
  budget: Budget,
): Finding {
  const path = fieldPath === "" ? subject.path : subject.path.child(fieldPath);
  const said = messageOf(message, rule, subject, budget);
  if (said?.isTooMuch === true) {
    return { error: invalid(path, subject.type, said.text), mayStay: !usesOldSelf, isLast: true };
  }
  const detail = said?.text ?? (rule.message ? textOf(rule) : `failed rule: ${textOf(rule)}`);
  return { error: errorOf(rule, path, subject.shown, detail), mayStay: !usesOldSelf, isLast: false };
}

function errorOf({ reason }: ValidationRule, path: FieldPath, shown: unknown, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return requiredValue(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, shown);
    default:
      return invalid(path, shown, detail);
  }
}

/**
 * Returns the result of the rule's messageExpression, or a cost error; undefined without a usable message.
 */
function messageOf(
  message: Expression | undefined,
  { messageExpression }: ValidationRule,
  subject: Subject,
  budget: Budget,
): { readonly text: string; readonly isTooMuch: boolean } | undefined {
  if (message?.program === undefined) return undefined;
  // As upstream: oldSelf is not optional here, even if it is in the rule.
  const { result, cost } = message.program.evaluate(plain(subject), callLimit);
  if (!budget.spend(cost)) {
    const why = "running out of cost budget, no further validation rules will be run";
    return { text: `messageExpression evaluation failed due to ${why}`, isTooMuch: true };
  }
  if (result instanceof CelError && isCallLimit(result)) {
    const why =
      "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    return { text: `${why}: ${JSON.stringify(messageExpression)}`, isTooMuch: true };
  }
  const text = typeof result === "string" ? result.trim() : "";
  const isFit = text !== "" && Buffer.byteLength(text) <= maxMessage && !text.includes("\n");
  return isFit ? { text, isTooMuch: false } : undefined;
}
