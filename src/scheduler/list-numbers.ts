import { LruMap } from "../util/lru.ts";

/** Enough for the lists that queued Pods of one cluster depend on; a list that is dropped gets a new number. */
const remembered = 256;

/**
 * Numbers for lists of objects, in place of their content in a key: a list keeps its number as long as it has the very
 * same elements, because objects are immutable.
 */
export class ListNumbers {
  readonly #known = new LruMap<string, { readonly list: readonly object[]; readonly number: number }>(
    remembered,
  );
  #next = 0;

  /** The number of the list of this name. */
  of(name: string, list: readonly object[]): number {
    const known = this.#known.get(name);
    if (known !== undefined && isSame(known.list, list)) return known.number;
    const number = this.#next++;
    this.#known.set(name, { list, number });
    return number;
  }
}

function isSame(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
