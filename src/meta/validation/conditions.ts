import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooLong,
} from "../field-error.ts";
import { labelKeyProblems } from "../label-syntax.ts";
import type { Condition } from "../v1.ts";
import { report } from "./report.ts";
import { formatProblems } from "./text.ts";

const reasonProblems = formatProblems({
  rule: "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  pattern: "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
  examples: ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
});

const statuses = ["False", "True", "Unknown"];
const [maxReason, maxMessage] = [1024, 32 * 1024];

/** Validates conditions (apimachinery `meta/v1/validation`). */
export function* validateConditions(
  conditions: readonly Condition[] | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const types = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const place = path.index(i);
    if (types.has(condition.type)) yield duplicate(place.child("type"), condition.type);
    types.add(condition.type);
    yield* validateCondition(condition, place);
  }
}

function* validateCondition(condition: Condition, path: FieldPath): Generator<FieldError> {
  const { type, status, observedGeneration, lastTransitionTime, reason, message } = condition;
  yield* report(path.child("type"), type, labelKeyProblems(type));
  if (!statuses.includes(status)) yield notSupported(path.child("status"), status, statuses);
  if (observedGeneration !== undefined && observedGeneration < 0) {
    yield invalid(
      path.child("observedGeneration"),
      observedGeneration,
      "must be greater than or equal to zero",
    );
  }
  if (lastTransitionTime === undefined) yield requiredValue(path.child("lastTransitionTime"));
  if (reason === "") yield requiredValue(path.child("reason"));
  else {
    yield* report(path.child("reason"), reason, reasonProblems(reason));
    if (Buffer.byteLength(reason) > maxReason) yield tooLong(path.child("reason"), maxReason);
  }
  if (Buffer.byteLength(message) > maxMessage) yield tooLong(path.child("message"), maxMessage);
}
