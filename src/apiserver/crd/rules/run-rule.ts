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

/** What a rule is about. */
export interface Subject {
  readonly path: FieldPath;
  /** What the schema calls the value's type. */
  readonly type: string;
  /** The value as errors show it. */
  readonly shown: unknown;
  readonly self: Result;
  /** undefined where there was no value before, or nobody can say which. */
  readonly oldSelf: Result | undefined;
}

/** Something that is wrong with the value. */
export interface Finding {
  readonly error: FieldError;
  /** Whether it may stay where it was wrong before: not so what is said of changes. */
  readonly mayStay: boolean;
  /** Whether too much was spent for any other rule to run. */
  readonly isLast: boolean;
}

/** In units of CEL: what one run of an expression may cost (apiserver `apis/cel/config.go`). */
const callLimit = 1_000_000;
const isCallLimit = ({ message }: CelError) =>
  message.startsWith("operation cancelled: actual cost limit exceeded");

/** How much may be said by an expression, in bytes. */
const maxMessage = 5 * 1024;

export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** undefined when the value is as the rule wants it (apiextensions-apiserver `validateExpressions`). */
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

/** The rule could not be evaluated. */
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

/** The value is not as the rule wants it. */
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

/** What the rule's own expression says, or that it cost too much; undefined when that is nothing to show. */
function messageOf(
  message: Expression | undefined,
  { messageExpression }: ValidationRule,
  subject: Subject,
  budget: Budget,
): { readonly text: string; readonly isTooMuch: boolean } | undefined {
  if (message?.program === undefined) return undefined;
  // As upstream: here oldSelf is no optional, whatever it is to the rule.
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
