import { type FieldError, type FieldPath, tooMany } from "../field-error.ts";

/** Validates each item of a list, unless there are too many. */
export function* validateBoundedList<T>(
  items: readonly T[] | undefined,
  max: number,
  path: FieldPath,
  validate: (item: T, path: FieldPath) => Generator<FieldError>,
): Generator<FieldError> {
  if (items === undefined) return;
  if (items.length > max) return yield tooMany(path, items.length, max);
  for (const [i, item] of items.entries()) yield* validate(item, path.index(i));
}
