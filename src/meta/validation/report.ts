import { type FieldError, type FieldPath, invalid, notSupported, requiredValue } from "../field-error.ts";
import { labelProblems, subdomainProblems } from "./dns.ts";

/** One error for each problem of one value. */
export function* report(path: FieldPath, value: unknown, problems: readonly string[]): Generator<FieldError> {
  for (const problem of problems) yield invalid(path, value, problem);
}

/** An invalid value that the message does not show. */
export function wrong(path: FieldPath, detail: string): FieldError {
  return { reason: "FieldValueInvalid", field: path.toString(), message: `Invalid value: ${detail}` };
}

export function* validateDnsLabel(value: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, value, labelProblems(value));
}

export function* validateSubdomain(value: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, value, subdomainProblems(value));
}

/** A value out of a fixed set, which must be there. `allowed` is listed in the order of upstream's message. */
export function* validateOneOf(
  value: string | undefined,
  allowed: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  if (value === undefined || value === "") yield requiredValue(path);
  else if (!allowed.includes(value)) yield notSupported(path, value, allowed);
}

/** The same for a field that may be absent, which an empty text is not. */
export function* validateKnown(
  value: string | undefined,
  known: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  if (value !== undefined && !known.includes(value)) yield notSupported(path, value, known);
}
