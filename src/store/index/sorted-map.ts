import { Branch, childAt, isOverfull, Leaf, ownNode, type MapNode, splitNode } from "./sorted-map-node.ts";

/**
 * An ordered map with string keys, in the order of their UTF-16 units: a copy-on-write B+-tree with counts.
 * Lookups, changes and ranks take O(log n). A fork takes constant time, and after it both maps copy the nodes
 * that they change. `undefined` is not a value.
 */
export class SortedMap<V> {
  #root: MapNode<V>;
  /**
   * Nodes with this mark belong to this map alone. All others may be shared and are copied before a change.
   */
  #owner: object = {};

  private constructor(root?: MapNode<V>) {
    this.#root = root ?? new Leaf(this.#owner, [], []);
  }

  static empty<V>(): SortedMap<V> {
    return new SortedMap();
  }

  get size(): number {
    return this.#root.size;
  }

  /** Returns an independent map with the same content. */
  fork(): SortedMap<V> {
    this.#owner = {};
    return new SortedMap(this.#root);
  }

  get(key: string): V | undefined {
    return this.#root.get(key);
  }

  /** Returns the replaced value. */
  set(key: string, value: V): V | undefined {
    const root = ownNode(this.#root, this.#owner);
    this.#root = root;
    const previous = root.set(this.#owner, key, value);
    if (isOverfull(root)) {
      const right = splitNode(root);
      this.#root = new Branch(this.#owner, ["", right.firstKey], [root, right]);
    }
    return previous;
  }

  /** Returns the removed value. */
  delete(key: string): V | undefined {
    const previous = this.#root.get(key);
    if (previous === undefined) return undefined;
    const root = ownNode(this.#root, this.#owner);
    root.delete(this.#owner, key);
    this.#root = root instanceof Branch && root.children.length === 1 ? childAt(root, 0) : root;
    return previous;
  }

  /** Returns the number of keys less than `key`, or of all keys without a bound. */
  rank(key: string | undefined): number {
    return key === undefined ? this.size : this.#root.rank(key);
  }

  /** Returns the values at positions `start` (inclusive) to `end` (exclusive), in order of key. */
  range(start: number, end: number): V[] {
    const values: V[] = [];
    this.#root.collect(start, end, values);
    return values;
  }
}
