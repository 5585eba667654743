import { setOwn } from "../decode.ts";
import { type FieldSet, isEmpty, isMember } from "./field-set.ts";
import { concrete, itemElement, partOf, type Shape } from "./shape.ts";
import { isObject } from "../../util/is-object.ts";

/**
 * The value without the paths of a set (structured-merge-diff's `RemoveItems`). Null if nothing of a list or
 * map is left. Shares the remaining parts.
 */
export function removeFields(shape: Shape, value: unknown, set: FieldSet): unknown {
  if (isEmpty(set)) return value;
  const seen = concrete(shape, value);
  switch (seen.kind) {
    case "struct":
    case "map":
      return isObject(value) ? removeKeys(seen, value, set) : value;
    case "set":
    case "keyed":
      return Array.isArray(value) ? removeItems(seen, value, set) : value;
    case "leaf":
      return typeof value === "object" ? null : value;
  }
}

function removeKeys(
  shape: Extract<Shape, { kind: "struct" | "map" }>,
  value: Readonly<Record<string, unknown>>,
  set: FieldSet,
): unknown {
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const node = set[`f:${key}`];
    if (node === undefined) setOwn(result, key, inner);
    else if (!isMember(node)) {
      const part = partOf(shape, key)?.shape;
      setOwn(result, key, part === undefined ? inner : removeFields(part, inner, node));
    }
  }
  return Object.keys(result).length === 0 ? null : result;
}

function removeItems(
  shape: Extract<Shape, { kind: "set" | "keyed" }>,
  list: readonly unknown[],
  set: FieldSet,
): unknown {
  const result: unknown[] = [];
  for (const item of list) {
    const element = itemElement(shape, item);
    const node = element === undefined ? undefined : set[element];
    if (node === undefined) result.push(item);
    else if (!isMember(node)) result.push(shape.kind === "keyed" ? removeFields(shape.of, item, node) : item);
  }
  return result.length === 0 ? null : result;
}
