import { type ErrorOrPause, type FieldError, pause } from "./field-error.ts";

/** The errors of a validation, without a pause. */
export function errorsIn(found: Iterable<ErrorOrPause>): readonly FieldError[] {
  return [...found].filter((one) => one !== pause);
}
