import { setOwn } from "../decode.ts";
import { concrete, itemElement, type KeyedShape, partOf, type SetShape, type Shape } from "./shape.ts";
import { isObject } from "../../util/is-object.ts";

/**
 * Merges a configuration into a live value (structured-merge-diff's `Merge`). Adds and replaces values, never
 * removes any. List items in both values have the configuration's order. Neither value is changed.
 */
export function mergeValues(shape: Shape, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const seen = concrete(shape, applied);
  switch (seen.kind) {
    case "leaf":
      return applied;
    case "struct":
    case "map":
      return mergeKeys(seen, live, applied);
    case "set":
    case "keyed":
      return mergeLists(seen, live, applied);
  }
}

/** Null in place of a map or list leaves the live content unchanged. */
function mergeKeys(
  shape: Extract<Shape, { kind: "struct" | "map" }>,
  live: unknown,
  applied: unknown,
): unknown {
  if (!isObject(live) || Object.keys(live).length === 0) return applied;
  if (!isObject(applied)) return applied === null ? live : applied;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(live)) setOwn(result, key, value);
  for (const [key, value] of Object.entries(applied)) {
    const part = partOf(shape, key)?.shape;
    const before = Object.hasOwn(live, key) ? live[key] : undefined;
    setOwn(result, key, part === undefined ? value : mergeValues(part, before, value));
  }
  return result;
}

function mergeLists(shape: SetShape | KeyedShape, live: unknown, applied: unknown): unknown {
  if (!Array.isArray(live) || live.length === 0) return applied;
  if (!Array.isArray(applied)) return applied === null ? live : applied;
  const mine = new Map(elementsOf(shape, applied));
  const theirs = elementsOf(shape, live);
  const known = new Map<string, unknown>();
  // A duplicate live item is not merged, because the match would be ambiguous.
  for (const [element, item] of theirs) known.set(element, known.has(element) ? undefined : item);
  const merged = (element: string): unknown =>
    shape.kind === "set" ? mine.get(element) : mergeValues(shape.of, known.get(element), mine.get(element));
  return interleave(theirs, [...mine.keys()], merged);
}

function elementsOf(shape: SetShape | KeyedShape, list: readonly unknown[]): [string, unknown][] {
  return list.map((item) => [itemElement(shape, item) ?? "", item]);
}

/**
 * Items that only the live list has keep their positions between the shared items. New items follow the
 * shared item before them.
 */
function interleave(
  theirs: readonly (readonly [string, unknown])[],
  mine: readonly string[],
  merged: (element: string) => unknown,
): unknown[] {
  const isMine = new Set(mine);
  const isTheirs = new Set(theirs.map(([element]) => element));
  const shared = mine.filter((element) => isTheirs.has(element));
  const done = new Set<string>();
  const result: unknown[] = [];
  let nextShared = 0;
  const take = (element: string) => {
    done.add(element);
    result.push(merged(element));
    if (shared[nextShared] === element) nextShared += 1;
  };
  let left = 0;
  let right = 0;
  while (left < theirs.length || right < mine.length) {
    const theirItem = theirs[left];
    const own = mine[right];
    if (theirItem !== undefined) {
      const [element, item] = theirItem;
      if (!isMine.has(element)) {
        result.push(item);
        left += 1;
        continue;
      }
      if (own !== undefined && element === own) {
        take(own);
        left += 1;
        right += 1;
        continue;
      }
      // A shared item that comes later in the configuration or is already merged.
      const waiting = own !== undefined && nextShared < shared.length && shared[nextShared] !== element;
      if (waiting || done.has(element)) {
        left += 1;
        if (waiting) continue;
      }
    }
    if (own !== undefined) {
      take(own);
      right += 1;
    }
  }
  return result;
}
