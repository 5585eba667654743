import { type FieldError, type FieldPath, invalid, notSupported, requiredValue } from "../field-error.ts";
import { labelProblems, subdomainProblems } from "./dns.ts";

/** Yields one error for each problem of a value. */
export function* report(path: FieldPath, value: unknown, problems: readonly string[]): Generator<FieldError> {
  for (const problem of problems) yield invalid(path, value, problem);
}

/** An error about an invalid value that omits the value. */
export function wrong(path: FieldPath, detail: string): FieldError {
  return { reason: "FieldValueInvalid", field: path.toString(), message: `Invalid value: ${detail}` };
}

export function* validateDnsLabel(value: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, value, labelProblems(value));
}

export function* validateSubdomain(value: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, value, subdomainProblems(value));
}

/** Requires one of a fixed set of values. `allowed` has the order of upstream's message. */
export function* validateOneOf(
  value: string | undefined,
  allowed: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  if (value === undefined || value === "") yield requiredValue(path);
  else if (!allowed.includes(value)) yield notSupported(path, value, allowed);
}

/** Accepts an absent value or one of a fixed set. An empty text is not absent. */
export function* validateKnown(
  value: string | undefined,
  known: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  if (value !== undefined && !known.includes(value)) yield notSupported(path, value, known);
}
