import { deepEqual } from "../../util/deep-equal.ts";
import { type FieldSet, type FieldSetDraft, leaf } from "./field-set.ts";
import { subtree } from "./subtree.ts";
import {
  concrete,
  itemElement,
  type KeyedShape,
  keyValue,
  partOf,
  type SetShape,
  type Shape,
} from "./shape.ts";
import { isObject } from "../../util/is-object.ts";

/** The paths in which two values differ; a part is undefined if it is empty. */
export interface Difference {
  /** Paths that were added or whose value changed. */
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

/**
 * Compares two values of a shape (structured-merge-diff's `Compare`). Allocates nothing for equal parts,
 * because it runs on every write and most writes change little.
 */
export function compare(shape: Shape, old: unknown, next: unknown): Difference | undefined {
  if (old === next) return undefined;
  const seen = concrete(shape, next ?? old);
  switch (seen.kind) {
    case "leaf":
      return deepEqual(old, next) ? undefined : { changed: leaf, removed: undefined };
    case "struct":
    case "map":
      if (!isMapping(old) || !isMapping(next)) return { changed: leaf, removed: undefined };
      return compareKeys(seen, old, next);
    case "set":
    case "keyed":
      if (!isListing(old) || !isListing(next)) return { changed: leaf, removed: undefined };
      return compareItems(seen, old, next);
  }
}

/**
 * Reports whether the value is an object or null, which counts as an empty object. Null and an empty object
 * are not equal, though.
 */
function isMapping(value: unknown): value is Readonly<Record<string, unknown>> | null {
  return value === null || isObject(value);
}

function isListing(value: unknown): value is readonly unknown[] | null {
  return value === null || Array.isArray(value);
}

type Mapping = Readonly<Record<string, unknown>>;
const nothing: Mapping = Object.freeze({});

function compareKeys(
  shape: Extract<Shape, { kind: "struct" | "map" }>,
  oldValue: Mapping | null,
  nextValue: Mapping | null,
): Difference | undefined {
  const old = oldValue ?? nothing;
  const next = nextValue ?? nothing;
  const result = new Collector();
  let empty = true;
  for (const key in next) {
    const value = next[key];
    if (value === undefined) continue;
    empty = false;
    const before = Object.hasOwn(old, key) ? old[key] : undefined;
    if (before === value) continue;
    const part = partOf(shape, key);
    if (part === undefined) continue;
    if (before === undefined) result.change(part.element, subtree(part.shape, value));
    else result.add(part.element, compare(part.shape, before, value));
  }
  for (const key in old) {
    const value = old[key];
    if (value === undefined) continue;
    empty = false;
    const isGone = !Object.hasOwn(next, key) || next[key] === undefined;
    const part = isGone ? partOf(shape, key) : undefined;
    if (part !== undefined) result.remove(part.element, subtree(part.shape, value));
  }
  if (empty && oldValue !== nextValue && (oldValue === null || nextValue === null)) {
    return { changed: leaf, removed: undefined };
  }
  return result.difference();
}

function compareItems(
  shape: SetShape | KeyedShape,
  oldValue: readonly unknown[] | null,
  nextValue: readonly unknown[] | null,
): Difference | undefined {
  const old = oldValue ?? [];
  const next = nextValue ?? [];
  if (old.length === 0 && next.length === 0) {
    return oldValue === null || nextValue === null ? { changed: leaf, removed: undefined } : undefined;
  }
  const aligned = compareAligned(shape, old, next);
  return aligned === undefined ? compareByElement(shape, old, next) : aligned.difference();
}

/**
 * Compares lists with the same items at the same indexes, the common case. Returns undefined for other lists,
 * and if two items share their keys.
 */
function compareAligned(
  shape: SetShape | KeyedShape,
  old: readonly unknown[],
  next: readonly unknown[],
): Collector | undefined {
  if (old.length !== next.length) return undefined;
  const result = new Collector();
  let twins: ReadonlySet<string> | undefined;
  for (let i = 0; i < next.length; i += 1) {
    if (old[i] === next[i]) continue;
    if (shape.kind === "set" || !sameKeys(shape, old[i], next[i])) return undefined;
    const found = compare(shape.of, old[i], next[i]);
    if (found === undefined) continue;
    const element = itemElement(shape, next[i]);
    twins ??= twinsOf(shape, next);
    if (element === undefined || twins.has(element)) return undefined;
    result.add(element, found);
  }
  return result;
}

function sameKeys(shape: KeyedShape, old: unknown, next: unknown): boolean {
  return (
    isObject(old) &&
    isObject(next) &&
    shape.keys.every(
      ({ name, fallback }) => (keyValue(old, name) ?? fallback) === (keyValue(next, name) ?? fallback),
    )
  );
}

/** The elements that identify more than one item. */
function twinsOf(shape: KeyedShape, list: readonly unknown[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twins = new Set<string>();
  for (const item of list) {
    const element = itemElement(shape, item);
    if (element === undefined) continue;
    if (seen.has(element)) twins.add(element);
    seen.add(element);
  }
  return twins;
}

/** Compares lists by element. Items with the same element are compared and owned as one value. */
function compareByElement(
  shape: SetShape | KeyedShape,
  oldList: readonly unknown[],
  nextList: readonly unknown[],
): Difference | undefined {
  const old = groupItems(shape, oldList);
  const next = groupItems(shape, nextList);
  const of: Shape = shape.kind === "keyed" ? shape.of : { kind: "leaf" };
  const result = new Collector();
  for (const [element, items] of next) {
    const before = old.get(element) ?? [];
    if (items.length > 1) {
      if (before.length === 1) result.remove(element, subtree(of, before[0]));
      if (!deepEqual(before, items)) result.change(element, leaf);
    } else if (before.length === 1) {
      result.add(element, compare(of, before[0], items[0]));
    } else {
      if (before.length > 1) result.remove(element, leaf);
      result.change(element, subtree(of, items[0]));
    }
  }
  for (const [element, items] of old) {
    if (!next.has(element)) result.remove(element, items.length > 1 ? leaf : subtree(of, items[0]));
  }
  return result.difference();
}

function groupItems(shape: SetShape | KeyedShape, list: readonly unknown[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of list) {
    const element = itemElement(shape, item);
    if (element === undefined) continue;
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Collects the differences of a value's parts. */
class Collector {
  #changed: FieldSetDraft | undefined;
  #removed: FieldSetDraft | undefined;

  change(element: string, set: FieldSet): void {
    this.#changed ??= {};
    this.#changed[element] = set;
  }

  remove(element: string, set: FieldSet): void {
    this.#removed ??= {};
    this.#removed[element] = set;
  }

  add(element: string, found: Difference | undefined): void {
    if (found?.changed !== undefined) this.change(element, found.changed);
    if (found?.removed !== undefined) this.remove(element, found.removed);
  }

  difference(): Difference | undefined {
    if (this.#changed === undefined && this.#removed === undefined) return undefined;
    return { changed: this.#changed, removed: this.#removed };
  }
}
