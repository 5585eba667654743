import { sortedEntries } from "../../util/compare.ts";

/**
 * A set of paths in an object, in the stored form of `managedFields` (FieldsV1): nested objects whose keys
 * are path elements. Reading and writing a stored object needs no conversion.
 *
 * | element | meaning |
 * |---|---|
 * | `f:name` | a field of a message, or a key of a map |
 * | `k:{"name":"a"}` | the item of a keyed list with these keys |
 * | `v:"x"` | the item of a set |
 * | `i:0` | the item at an index; read, never written |
 * | `.` | the path itself, in a node with other elements |
 *
 * An empty node is a member of the set. The root is not a path, so an empty root is the empty set. Sets are
 * immutable and share equal parts.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A field set under construction. */
export type FieldSetDraft = Record<string, FieldSet>;

/** The node of a member without further elements. As a root, it is the empty set. */
export const leaf: FieldSet = Object.freeze({});

/**
 * Returns a stored set without parsing. Stored sets are always canonical, because they come from
 * `parseFieldSet` or from this module.
 */
export function storedFieldSet(fieldsV1: Readonly<Record<string, unknown>> | undefined): FieldSet {
  return (fieldsV1 ?? leaf) as FieldSet;
}

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Returns what is left of a number of elements after those of the set; below zero, not all were counted. */
export function elementsLeft(set: FieldSet, elements: number): number {
  let left = elements;
  for (const element in set) {
    left = elementsLeft(set[element] ?? leaf, left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Reports whether a stored set equals a client's set. The client's value may be invalid. */
export function equalSets(a: FieldSet, b: unknown): boolean {
  if (a === b) return true;
  if (!isNode(b)) return false;
  let extra = 0;
  for (const element in a) {
    const mine = a[element];
    const other = b[element];
    if (mine === undefined || !equalSets(mine, other)) return false;
    extra -= 1;
  }
  for (const _ in b) extra += 1;
  return extra === 0;
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether the path of this node is in the set. */
export function isMember(node: FieldSet): boolean {
  return node["."] !== undefined || isEmpty(node);
}

/** Returns the node with its own path added to the set. */
export function asMember(node: FieldSet): FieldSet {
  return isMember(node) ? node : { ".": leaf, ...node };
}

/** Returns the paths that are in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  return isEmpty(b) ? a : uniteNodes(a, b);
}

/**
 * Returns the paths that are in any of the sets. Unites sets in pairs, because a sequential union would copy
 * the intermediate result each time.
 */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let level = sets;
  while (level.length > 1) {
    const next: FieldSet[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(union(level[i] ?? leaf, level[i + 1] ?? leaf));
    level = next;
  }
  return level[0] ?? leaf;
}

function uniteNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const result: FieldSetDraft = { ...a };
  for (const [element, node] of Object.entries(b)) {
    const other = a[element];
    result[element] = other === undefined ? node : uniteNodes(other, node);
  }
  // A member without elements needs the element `.` once it gets other elements.
  return (isEmpty(a) || isEmpty(b)) && !isEmpty(result) ? asMember(result) : result;
}

/** Returns the paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? leaf : (intersectNodes(a, b) ?? leaf);
}

/** Returns undefined when no path is left. */
function intersectNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const children: FieldSetDraft = {};
  for (const element in a) {
    const mine = a[element];
    const other = b[element];
    if (element === "." || mine === undefined || other === undefined) continue;
    const both = intersectNodes(mine, other);
    if (both !== undefined) children[element] = both;
  }
  return node(isMember(a) && isMember(b), children);
}

/**
 * Returns the paths that are in `a` but not in `b`. Removing a path keeps the paths below it. Returns `a`
 * itself when nothing is removed.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (subtractNodes(a, b) ?? leaf);
}

function subtractNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const member = isMember(a);
  let changed = member && isMember(b);
  const children: FieldSetDraft = {};
  for (const element in a) {
    const mine = a[element];
    if (element === "." || mine === undefined) continue;
    const other = b[element];
    const left = other === undefined ? mine : subtractNodes(mine, other);
    if (left !== mine) changed = true;
    if (left !== undefined) children[element] = left;
  }
  return changed ? node(member && !isMember(b), children) : a;
}

function node(member: boolean, children: FieldSetDraft): FieldSet | undefined {
  if (!isEmpty(children)) return member ? { ".": leaf, ...children } : children;
  return member ? leaf : undefined;
}

/** Reports whether a path is in the set. */
export function has(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.[element];
  return at !== undefined && path.length > 0 && isMember(at);
}

/**
 * Parses a client's set into the canonical form, in which equal elements are equal strings. Drops elements of
 * unknown types, as upstream. Returns undefined if the value is not a set.
 */
export function parseFieldSet(value: unknown): FieldSet | undefined {
  if (!isNode(value)) return undefined;
  const result: FieldSetDraft = {};
  for (const [key, inner] of Object.entries(value)) {
    const element = canonicalElement(key);
    if (element === undefined) return undefined;
    const below = element === "" ? leaf : parseFieldSet(inner);
    if (below === undefined) return undefined;
    if (element !== "") result[element] = below;
  }
  const elements = Object.keys(result);
  return elements.length === 1 && elements[0] === "." ? leaf : result;
}

/** Returns undefined if the key is not an element, and an empty string for an unknown type. */
function canonicalElement(key: string): string | undefined {
  if (key === "." || key.startsWith("f:")) return key;
  if (key[1] !== ":") return undefined;
  try {
    if (key.startsWith("v:")) return `v:${JSON.stringify(JSON.parse(key.slice(2)))}`;
    if (key.startsWith("i:"))
      return /^[+-]?\d+$/.test(key.slice(2)) ? `i:${Number(key.slice(2))}` : undefined;
    if (!key.startsWith("k:")) return "";
    const keys: unknown = JSON.parse(key.slice(2));
    if (!isNode(keys)) return undefined;
    return `k:${JSON.stringify(Object.fromEntries(sortedEntries(keys)))}`;
  } catch {
    return undefined;
  }
}
