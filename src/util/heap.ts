/** A binary heap: the smallest item by `before` comes out first. Equal items come out in no fixed order. */
export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** All items, in no fixed order. */
  items(): Iterable<T> {
    return this.#items;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#rise(this.#items.length - 1, item);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  #rise(start: number, item: T): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || !this.#before(item, above)) break;
      this.#items[at] = above;
      at = parent;
    }
    this.#items[at] = item;
  }

  /** Puts `item` at the root and moves it down until both children come after it. */
  #sink(item: T): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = this.#items[child];
      if (below === undefined) break;
      const right = this.#items[child + 1];
      if (right !== undefined && this.#before(right, below)) {
        child += 1;
        below = right;
      }
      if (!this.#before(below, item)) break;
      this.#items[at] = below;
      at = child;
    }
    this.#items[at] = item;
  }
}
