import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { report } from "../../../meta/validation/report.ts";
import type { ExpressionCheck } from "../expressions.ts";
import type { AuditAnnotation, Mutation, Validation, Variable } from "./schema.ts";

/** Validates the parts of policies that hold expressions, except for the expressions themselves. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

export function* validateVariable(
  { name, expression }: Variable,
  path: FieldPath,
  check: ExpressionCheck,
): Generator<FieldError> {
  if (name.trim() === "") yield requiredValue(path.child("name"), "name is not specified");
  else if (!/^[_a-zA-Z]\w*$/.test(name) || reserved.has(name)) {
    yield invalid(path.child("name"), name, "must be a valid CEL identifier");
  }
  const place = path.child("expression");
  if (expression.trim() === "") yield requiredValue(place, "expression is not specified");
  else yield* check({ use: "variable", text: expression, path: place, name });
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

export function* validateValidation(
  { expression, message = "", messageExpression, reason }: Validation,
  path: FieldPath,
  check: ExpressionCheck,
): Generator<FieldError> {
  const [place, messagePlace] = [path.child("expression"), path.child("messageExpression")];
  if (expression.trim() === "") yield requiredValue(place, "expression is not specified");
  else yield* check({ use: "validation", text: expression, path: place });
  if (messageExpression?.trim() === "") {
    yield invalid(messagePlace, messageExpression, "must be non-empty if specified");
  } else if (messageExpression !== undefined) {
    yield* check({ use: "message", text: messageExpression, path: messagePlace });
  }
  if (message !== "" && message.trim() === "") {
    yield invalid(path.child("message"), message, "must be non-empty if specified");
  } else if (/[\n\r]/.test(message.trim())) {
    yield invalid(path.child("message"), message, "must not contain line breaks");
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    yield notSupported(path.child("reason"), reason, reasons);
  }
}

const maxAnnotations = 20;
const maxValueBytes = 5 * 1024;

export function* validateAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  path: FieldPath,
  check: ExpressionCheck,
): Generator<FieldError> {
  if (annotations.length > maxAnnotations) {
    yield invalid(path, annotations, `must not have more than ${maxAnnotations} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const [i, { key, valueExpression }] of annotations.entries()) {
    const place = path.index(i);
    const name = `${policy}/${key}`;
    yield* report(place.child("key"), name, labelKeyProblems(name));
    const text = valueExpression.trim();
    const valuePlace = place.child("valueExpression");
    if (text === "") yield requiredValue(valuePlace, "valueExpression is not specified");
    else if (Buffer.byteLength(text) > maxValueBytes) {
      yield requiredValue(valuePlace, `must not exceed ${maxValueBytes} bytes in length`);
    } else yield* check({ use: "auditAnnotation", text: valueExpression, path: valuePlace });
    if (keys.has(key)) yield duplicate(place.child("key"), key);
    keys.add(key);
  }
}

const forms = { JSONPatch: "jsonPatch", ApplyConfiguration: "applyConfiguration" } as const;

export function* validateMutation(
  mutation: Mutation,
  path: FieldPath,
  check: ExpressionCheck,
): Generator<FieldError> {
  const type: string = mutation.patchType;
  if (type === "") {
    yield requiredValue(path.child("patchType"));
    return;
  }
  if (type !== "JSONPatch" && type !== "ApplyConfiguration") {
    yield notSupported(path.child("patchType"), type, ["ApplyConfiguration", "JSONPatch"]);
    return;
  }
  const used = forms[type];
  const other = type === "JSONPatch" ? "applyConfiguration" : "jsonPatch";
  const change = mutation[used];
  const place = path.child(used);
  if (change === undefined) yield requiredValue(place, `must be specified when patchType is ${type}`);
  else {
    const text = (change.expression ?? "").trim();
    if (text === "") yield requiredValue(place.child("expression"));
    else yield* check({ use: used, text, path: place.child("expression") });
  }
  if (mutation[other] !== undefined) {
    yield invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`);
  }
}
