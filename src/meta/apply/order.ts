import type { Steps } from "../../util/steps.ts";
import { type FieldSet, type FieldSetDraft, isEmpty, leaf } from "./field-set.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** An order of path elements: sorts the elements of one node. */
export type ElementOrder = (elements: readonly string[]) => string[];

/** The number of elements after which a step ends. */
const stepSize = 2_000;

/**
 * Sorts the elements of every node in steps, so that equal sets have equal texts. Returns the set itself if it is in order.
 */
export function* orderInSteps(
  set: FieldSet,
  order: ElementOrder,
  walk = { left: stepSize },
): Steps<FieldSet> {
  const elements = Object.keys(set);
  if (elements.length === 0) return set;
  const sorted = elements.length < 2 ? elements : order(elements);
  if (elements.length > stepSize) yield;
  const result: FieldSetDraft = {};
  let same = true;
  let index = 0;
  for (const element of sorted) {
    const node = set[element] ?? leaf;
    const next = isEmpty(node) ? node : yield* orderInSteps(node, order, walk);
    if (next !== node || element !== elements[index]) same = false;
    result[element] = next;
    index++;
    if (--walk.left > 0) continue;
    walk.left = stepSize;
    yield;
  }
  return same ? set : result;
}

/**
 * The order for custom resources. Their sets are stored as arbitrary JSON, so keys are sorted as by Go's
 * encoder.
 */
export const byText: ElementOrder = (elements) => elements.toSorted(compareTexts);

/**
 * The order for built-in kinds (structured-merge-diff `fieldpath/element.go`): the path itself, fields by
 * name, items by their keys, by value, by index. Numbers are compared as numbers.
 */
export const byElement: ElementOrder = (elements) =>
  sortAsTexts(elements)
    ? elements.toSorted()
    : elements
        .map((element) => ({ element, rank: ranks.indexOf(element.charAt(0)), parts: partsOf(element) }))
        .sort((a, b) => a.rank - b.rank || compareParts(a.parts, b.parts))
        .map(({ element }) => element);

/**
 * Reports whether the order of the texts is the order of the elements, as in most sets: names of fields, or items with
 * one key whose values have no character that sorts before a quote, and no escape.
 */
function sortAsTexts(elements: readonly string[]): boolean {
  return (
    elements.every((element) => fieldText.test(element)) ||
    elements.every((element) => itemText.test(element))
  );
}

const fieldText = /^(?:\.|f:[^\ud800-\uffff]*)$/;
const itemText = /^(?:\.|k:\{"\w+":"[#-[\]-\ud7ff]*"\})$/;

const ranks = [".", "f", "k", "v", "i"];

/**
 * The parts by which two elements of one type are compared. Each element is parsed once, not for each
 * comparison.
 */
function partsOf(element: string): readonly unknown[] {
  const text = element.slice(2);
  if (element.startsWith("k:")) return Object.entries(fieldsOf(JSON.parse(text))).flat();
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

/** Compares by type: numbers, strings, booleans, null. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  return Number(a) - Number(b);
}

function rankOf(value: unknown): number {
  return ["number", "string", "boolean", "object"].indexOf(typeof value);
}

/** Compares by code points, as Go compares bytes: surrogate pairs are greater than all other characters. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rotate(left) - rotate(right);
  }
  return a.length - b.length;
}

/** Moves surrogates behind the other code units. */
function rotate(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit > 0xdfff ? unit - 0x800 : unit + 0x2000;
}
