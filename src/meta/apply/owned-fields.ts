import { asMember, type FieldSet, type FieldSetDraft, isEmpty, leaf } from "./field-set.ts";
import { concrete, descend, itemElement, partOf, type Shape } from "./shape.ts";
import { isList, isObject } from "../../util/is-object.ts";

/**
 * The paths that a value specifies: leaves, list items, map keys, and empty or null values
 * (structured-merge-diff's `ToFieldSet`). Unknown fields are ignored.
 */
export function ownedFields(shape: Shape, value: unknown): FieldSet {
  const set = nodeOf(shape, value);
  return set === undefined ? leaf : set;
}

/** The node of a value; undefined when it contains no path, not even its own. */
function nodeOf(shape: Shape, value: unknown): FieldSet | undefined {
  const seen = concrete(shape, value);
  if (seen.kind === "leaf") return leaf;
  const result: FieldSetDraft = {};
  if ((seen.kind === "struct" || seen.kind === "map") && isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const part = inner === undefined ? undefined : partOf(seen, key);
      if (part === undefined) continue;
      const below = nodeOf(part.shape, inner);
      const isDeclared = seen.kind === "struct" && seen.fields.has(key);
      const isPath = !isDeclared || inner === null || (isObject(inner) && isEmptyObject(inner));
      const node = isPath ? asMember(below ?? leaf) : below;
      if (node !== undefined) result[`f:${key}`] = node;
    }
  } else if ((seen.kind === "set" || seen.kind === "keyed") && isList(value)) {
    for (const item of value) {
      const element = itemElement(seen, item);
      if (element === undefined) continue;
      const isTwin = result[element] !== undefined;
      result[element] = isTwin || seen.kind === "set" ? leaf : asMember(nodeOf(seen.of, item) ?? leaf);
    }
  }
  return isEmpty(result) ? undefined : result;
}

function isEmptyObject(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** Returns the set with every declared field above a path added as a member. */
export function withNamedFields(shape: Shape | undefined, set: FieldSet): FieldSet {
  const result: FieldSetDraft = {};
  for (const [element, node] of Object.entries(set)) {
    const below = descend(shape, element);
    const inner = isEmpty(node) ? node : withNamedFields(below, node);
    const isField = shape?.kind === "struct" && shape.fields.has(element.slice(2));
    result[element] = isField ? asMember(inner) : inner;
  }
  return result;
}
