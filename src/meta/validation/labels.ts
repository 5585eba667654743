import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  tooLong,
} from "../field-error.ts";
import { labelKeyProblems, labelValueProblems } from "../label-syntax.ts";
import type { FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement } from "../v1.ts";

type Labels = Readonly<Record<string, string>>;

export function* validateLabelKey(key: string, path: FieldPath): Generator<FieldError> {
  for (const problem of labelKeyProblems(key)) yield invalid(path, key, problem);
}

export function* validateLabels(labels: Labels | undefined, path: FieldPath): Generator<FieldError> {
  for (const [key, value] of Object.entries(labels ?? {})) {
    yield* validateLabelKey(key, path);
    for (const problem of labelValueProblems(value)) yield invalid(path, value, problem);
  }
}

/** The maximum total size of all annotations of an object. */
const maxAnnotationBytes = 256 * 1024;

/** Validates annotations. Keys are label keys in any case. */
export function* validateAnnotations(
  annotations: Labels | undefined,
  path: FieldPath,
): Generator<FieldError> {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const problem of labelKeyProblems(key.toLowerCase())) yield invalid(path, key, problem);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > maxAnnotationBytes) yield tooLong(path, maxAnnotationBytes);
}

export function* validateLabelSelector(
  selector: LabelSelector | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (selector === undefined) return;
  yield* validateLabels(selector.matchLabels, path.child("matchLabels"));
  for (const [i, one] of (selector.matchExpressions ?? []).entries()) {
    const place = path.child("matchExpressions").index(i);
    if (!operators.has(one.operator)) {
      yield invalid(place.child("operator"), one.operator, "not a valid selector operator");
    }
    yield* validateLabelRequirement(one, place);
  }
}

const operators = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/** Validates a requirement of a label selector. Unknown operators are accepted here. */
export function* validateLabelRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateOperands(operator, values, path.child("values"));
  yield* validateLabelKey(key, path.child("key"));
  for (const [i, value] of values.entries()) {
    for (const problem of labelValueProblems(value)) {
      yield invalid(path.child("values").index(i), value, problem);
    }
  }
}

/** Validates a requirement of a field selector, which can have any key and value. */
export function* validateFieldRequirement(
  { key, operator, values = [] }: FieldSelectorRequirement,
  path: FieldPath,
): Generator<FieldError> {
  if (key === "") yield requiredValue(path.child("key"), "must be specified");
  yield* validateOperands(operator, values, path.child("values"));
}

function* validateOperands(
  operator: string,
  values: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0) {
    yield requiredValue(path, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (!takesValues && operators.has(operator) && values.length > 0) {
    yield forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}

/** Reports whether a selector matches everything. An absent one does not. */
export function isEmptySelector(selector: LabelSelector): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
