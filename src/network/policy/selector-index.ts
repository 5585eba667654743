import { labelOf, type Labels, type Selector } from "../../meta/labels.ts";

/**
 * Selectors, found by the labels that they match. A selector with a required label is looked at only for objects that
 * have the label.
 */
export class SelectorIndex {
  /** Names and selectors, by a required label, and by the empty string for selectors without one. */
  readonly #buckets = new Map<string, Map<string, Selector>>();

  get empty(): boolean {
    return this.#buckets.size === 0;
  }

  set(name: string, selector: Selector): void {
    const label = requiredLabel(selector);
    let bucket = this.#buckets.get(label);
    if (bucket === undefined) this.#buckets.set(label, (bucket = new Map()));
    bucket.set(name, selector);
  }

  /** Removes a name that was added with this selector. */
  delete(name: string, selector: Selector): void {
    const label = requiredLabel(selector);
    const bucket = this.#buckets.get(label);
    bucket?.delete(name);
    if (bucket?.size === 0) this.#buckets.delete(label);
  }

  /** Returns the names of the selectors that match the labels, sorted. */
  matching(labels: Labels = {}): readonly string[] {
    const found: string[] = [];
    for (const label of ["", ...labelsAsText(labels)])
      for (const [name, selector] of this.#buckets.get(label) ?? [])
        if (selector.matches(labels)) found.push(name);
    return found.sort();
  }
}

/** Returns a label, as `key=value`, that everything the selector matches has; empty without one. */
export function requiredLabel(selector: Selector): string {
  for (const { key } of selector.requirements) {
    const value = selector.exactValue(key);
    if (value !== undefined) return `${key}=${value}`;
  }
  return "";
}

/** Returns labels as `key=value`. */
export function labelsAsText(labels: Labels = {}): readonly string[] {
  return Object.keys(labels).map((key) => `${key}=${labelOf(labels, key) ?? ""}`);
}
