import type { FieldSet, FieldSetDraft } from "./field-set.ts";

/** An order of path elements: sorts some that stand in one node. */
export type ElementOrder = (elements: readonly string[]) => string[];

/**
 * The same set, every node's elements in order: equal sets are equal texts, whoever wrote them first. Returns the set
 * itself where all stand in order already.
 */
export function inOrder(set: FieldSet, order: ElementOrder): FieldSet {
  const elements = Object.keys(set);
  const sorted = elements.length < 2 ? elements : order(elements);
  let same = true;
  const result: FieldSetDraft = {};
  for (const [index, element] of sorted.entries()) {
    const node = set[element];
    if (node === undefined) continue;
    const below = inOrder(node, order);
    if (below !== node || element !== elements[index]) same = false;
    result[element] = below;
  }
  return same ? set : result;
}

/** The order of custom resources, whose sets are stored as any JSON: keys as Go's encoder sorts them. */
export const byText: ElementOrder = (elements) => elements.toSorted(compareTexts);

/**
 * The order of built-in kinds (structured-merge-diff `fieldpath/element.go`): the path itself, fields by name, items by
 * their keys, by their value, by their index; numbers as numbers.
 */
export const byElement: ElementOrder = (elements) =>
  elements
    .map((element) => ({ element, rank: ranks.indexOf(element.charAt(0)), parts: partsOf(element) }))
    .sort((a, b) => a.rank - b.rank || compareParts(a.parts, b.parts))
    .map(({ element }) => element);

const ranks = [".", "f", "k", "v", "i"];

/** The parts that order two elements of one type. Parsed once for each element, not for each comparison. */
function partsOf(element: string): readonly unknown[] {
  const text = element.slice(2);
  if (element.startsWith("k:")) return Object.entries(JSON.parse(text) as object).flat() as unknown[];
  return element.startsWith("v:") || element.startsWith("i:") ? [JSON.parse(text)] : [text];
}

function compareParts(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [index, part] of a.entries()) {
    if (index >= b.length) return 1;
    const order = compareValues(part, b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers come before strings, strings before booleans, and null last. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  return Number(a) - Number(b);
}

function rankOf(value: unknown): number {
  return ["number", "string", "boolean", "object"].indexOf(typeof value);
}

/** By code points, as Go compares bytes: a surrogate pair stands behind all else. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rotate(left) - rotate(right);
  }
  return a.length - b.length;
}

/** Surrogates moved behind the other code units. */
function rotate(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit > 0xdfff ? unit - 0x800 : unit + 0x2000;
}
