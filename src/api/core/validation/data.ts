import { type FieldError, forbidden, root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";

/** The maximum total size of all values of a ConfigMap or Secret. */
export const maxBytes = 1024 * 1024;

export const dataPath = root.child("data");

export const base64Bytes = (text: string) => Buffer.byteLength(text, "base64");

export function* validateFrozen<T extends { readonly immutable?: boolean }>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): Generator<FieldError> {
  if (old.immutable !== true) return;
  const message = "field is immutable when `immutable` is set";
  if (object.immutable !== true) yield forbidden(root.child("immutable"), message);
  for (const field of fields) {
    if (!deepEqual(object[field], old[field])) yield forbidden(root.child(field), message);
  }
}
