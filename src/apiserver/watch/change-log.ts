import type { Change, Revision } from "../../store/store.ts";

/** The recent changes of one resource, oldest first, in a ring. */
export class ChangeLog {
  readonly #capacity: number;
  #slots: (Change | undefined)[] = [];
  #first = 0;
  #count = 0;
  #from: Revision;

  /** All changes after `from` will be pushed. */
  constructor(capacity: number, from: Revision) {
    this.#capacity = capacity;
    this.#from = from;
  }

  /** The revision after which the log has all changes. */
  get from(): Revision {
    return this.#from;
  }

  push(change: Change): void {
    if (this.#count === this.#capacity) this.#dropOldest();
    this.#slots[(this.#first + this.#count) % this.#capacity] = change;
    this.#count += 1;
  }

  /** Drops the changes up to a revision, because their values must not outlive the store's history. */
  forget(upTo: Revision): void {
    while ((this.#at(0)?.revision ?? Infinity) <= upTo) this.#dropOldest();
    if (this.#count > 0) return;
    this.#slots = [];
    this.#first = 0;
  }

  /** Returns the changes after a revision that is not before `from`. */
  since(after: Revision): Change[] {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#at(middle)?.revision ?? Infinity) > after) high = middle;
      else low = middle + 1;
    }
    const found: Change[] = [];
    for (let index = low; index < this.#count; index++) {
      const change = this.#at(index);
      if (change !== undefined) found.push(change);
    }
    return found;
  }

  #at(index: number): Change | undefined {
    return this.#slots[(this.#first + index) % this.#capacity];
  }

  #dropOldest(): void {
    const oldest = this.#at(0);
    if (oldest !== undefined) this.#from = oldest.revision;
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#count -= 1;
  }
}
