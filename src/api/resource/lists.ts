import { duplicate, type FieldError, type FieldPath, tooMany } from "../../meta/field-error.ts";

type Check<T> = (item: T, path: FieldPath) => Generator<FieldError>;

/** Validates the items of a list. If the list is too long, only that error is reported. */
export function* validateSlice<T>(
  items: readonly T[] = [],
  max: number,
  path: FieldPath,
  check: Check<T>,
): Generator<FieldError> {
  if (items.length > max) yield tooMany(path, items.length, max);
  else for (const [i, item] of items.entries()) yield* check(item, path.index(i));
}

/** Validates a list and requires distinct keys. Keys are equal if their JSON is equal. */
export function* validateSet<T>(
  items: readonly T[] = [],
  max: number,
  path: FieldPath,
  check: Check<T>,
  keyOf: (item: T) => unknown,
): Generator<FieldError> {
  yield* validateSlice(items, max, path, check);
  if (items.length > max) return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    const text = JSON.stringify(key);
    if (seen.has(text)) yield duplicate(path.index(i), key);
    seen.add(text);
  }
}

/** Validates the entries of a map. Long keys are shortened in the middle in error paths. */
export function* validateMap<T>(
  entries: Readonly<Record<string, T>> = {},
  { max, maxKey }: { readonly max?: number; readonly maxKey: number },
  path: FieldPath,
  checkKey: (key: string, path: FieldPath) => Generator<FieldError>,
  check: Check<T>,
): Generator<FieldError> {
  const all = Object.entries(entries);
  if (max !== undefined && all.length > max) {
    yield tooMany(path, all.length, max);
    return;
  }
  for (const [key, item] of all) {
    yield* checkKey(key, path);
    yield* check(item, path.key(shortened(key, maxKey)));
  }
}

function shortened(key: string, max: number): string {
  if (key.length <= max) return key;
  const remaining = max - 3;
  return `${key.slice(0, (remaining + 1) >> 1)}...${key.slice(key.length - (remaining >> 1))}`;
}
