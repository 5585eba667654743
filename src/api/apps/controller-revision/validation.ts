import { type FieldError, requiredValue, root } from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import type { ControllerRevision } from "./schema.ts";

export function* validateControllerRevision({ data, revision }: ControllerRevision): Generator<FieldError> {
  yield* validateNonNegative(revision, root.child("revision"));
  if (data === undefined) yield requiredValue(root.child("data"), "data is mandatory");
}
