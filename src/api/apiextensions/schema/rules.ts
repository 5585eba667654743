import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import type { JSONSchemaProps, ValidationRule } from "../custom-resource-definition/json-schema-props.ts";
import { FieldPathError, findField } from "./field-path.ts";
import { unsupported } from "./unsupported.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const hasLineBreak = (text: string) => /[\n\r]/.test(text);

/** Validates everything about rules except their expressions. */
export function* validateRules(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    yield* validateRule(rule, schema, path.child("x-kubernetes-validations").index(i));
  }
}

function* validateRule(one: ValidationRule, schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  const { message = "", messageExpression, reason, fieldPath } = one;
  const rule = one.rule.trim();
  const text = message.trim();
  if (rule === "") yield requiredValue(path.child("rule"), "rule is not specified");
  else if (message !== "" && text === "") {
    yield invalid(path.child("message"), message, "must be non-empty if specified");
  } else if (hasLineBreak(text))
    yield invalid(path.child("message"), message, "must not contain line breaks");
  else if (hasLineBreak(rule) && text === "") {
    yield requiredValue(path.child("message"), "message must be specified if rule contains line breaks");
  }
  if (messageExpression?.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    yield requiredValue(path.child("messageExpression"), detail);
  }
  if (reason !== undefined && !reasons.includes(reason))
    yield notSupported(path.child("reason"), reason, reasons);
  if (fieldPath !== undefined) yield* validateFieldPath(fieldPath, schema, path.child("fieldPath"));
}

function* validateFieldPath(text: string, schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  if (text.trim() === "") yield invalid(path, text, "must be non-empty if specified");
  if (hasLineBreak(text)) yield invalid(path, text, "must not contain line breaks");
  if (!leadsSomewhere(text, schema)) yield invalid(path, text, "must be a valid path");
}

function leadsSomewhere(text: string, schema: JSONSchemaProps): boolean {
  try {
    if (unsupported(schema) === undefined) findField(text, schema);
    return true;
  } catch (error) {
    if (error instanceof FieldPathError) return false;
    throw error;
  }
}
