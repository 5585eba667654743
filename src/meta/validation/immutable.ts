import { deepEqual } from "../../util/deep-equal.ts";
import { type FieldError, type FieldPath, invalid } from "../field-error.ts";

export const immutableMessage = "field is immutable";

/** Forbids a change of the field. */
export function* validateImmutable(value: unknown, old: unknown, path: FieldPath): Generator<FieldError> {
  if (!deepEqual(value, old)) yield invalid(path, value, immutableMessage);
}
