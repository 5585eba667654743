import { directive, noMergeKey, orderPrefix, print } from "./directives.ts";
import { isObject } from "../../util/is-object.ts";
import { PatchError } from "./errors.ts";

/** The field that identifies a list's items; undefined for lists of scalars. */
export type MergeKey = string | undefined;

/**
 * Sorts a merged list. Items in `order` have its order. Other items, which only the server has, keep the live
 * order: each one is placed before the first item that followed it in the live list.
 */
export function orderItems(
  items: readonly unknown[],
  order: readonly unknown[],
  live: readonly unknown[],
  key: MergeKey,
): readonly unknown[] {
  const inOrder = positions(order, key);
  const inLive = positions(live, key);
  const isNamed = (item: unknown) => inOrder.has(identity(item, key));
  const named = sortBy(items.filter(isNamed), inOrder, key);
  const others = sortBy(
    items.filter((item) => !isNamed(item)),
    inLive,
    key,
  );
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = inLive.get(identity(item, key)) ?? 0;
    for (; next < others.length; next += 1) {
      const other = inLive.get(identity(others[next], key));
      if (other === undefined || other >= place) break;
      result.push(others[next]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function identity(item: unknown, key: MergeKey): unknown {
  if (key === undefined) return item;
  if (!isObject(item))
    throw new PatchError("expected a map[string]interface {}, but received another type", true);
  if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
  return item[key];
}

function positions(list: readonly unknown[], key: MergeKey): ReadonlyMap<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const id = identity(item, key);
    if (!places.has(id)) places.set(id, index);
  }
  return places;
}

/** Sorts by position, stably. Items without a position are first, because upstream's index is -1. */
function sortBy(items: readonly unknown[], places: ReadonlyMap<unknown, number>, key: MergeKey): unknown[] {
  const place = (item: unknown) => places.get(identity(item, key)) ?? -1;
  return items.toSorted((a, b) => place(a) - place(b));
}

function isDirective(item: unknown): boolean {
  return isObject(item) && Object.hasOwn(item, directive);
}

/** Checks that `order` contains all items of the patch in the same order. */
export function checkOrder(patch: readonly unknown[], order: readonly unknown[], key: MergeKey): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = patch.filter((item) => !(isObject(item) && item[directive] === "delete"));
  let at = 0;
  for (const place of order) {
    while (at < items.length && isDirective(items[at])) at += 1;
    if (at < items.length && identity(items[at], key) === identity(place, key)) at += 1;
  }
  if (at === items.length) return;
  throw new PatchError(
    `The order in patch list:\n${print(patch)}\n doesn't match ${orderPrefix} list:\n${print(order)}\n`,
    true,
  );
}

/** The kind of a list's items. All items must have the same kind. Lists of lists cannot be merged. */
export function elementKind(items: readonly unknown[]): string {
  const kinds = new Set(items.map((item) => (item === null ? "null" : typeof item)));
  if (items.some(Array.isArray)) throw new PatchError("lists of lists are not supported", false);
  const [kind, ...others] = kinds;
  if (kind === undefined) throw new PatchError("no elements in any of the given slices", true);
  if (others.length > 0 || kind === "null") {
    throw new PatchError(`list element types are not identical: ${print([items])}`, false);
  }
  return kind;
}
