/**
 * Where a value comes from: a variable, then fields and parts. Upstream's paths are Go slices that share
 * memory: a second part added to the same path may overwrite the first one's, and estimates depend on it. As
 * they decide which rules may be stored, paths here share their parts as Go's do.
 */
export class Path {
  static readonly none = new Path([], 0, 0);
  /** Shared with other paths; only the first `length` are this one's. */
  readonly #shared: string[];
  readonly #capacity: number;
  readonly length: number;

  private constructor(shared: string[], capacity: number, length: number) {
    this.#shared = shared;
    this.#capacity = capacity;
    this.length = length;
  }

  static of(variable: string): Path {
    return new Path([variable], 1, 1);
  }

  get parts(): readonly string[] {
    return this.#shared.slice(0, this.length);
  }

  /** A path of one part more, in the same memory as long as there is room. */
  append(part: string): Path {
    const isRoom = this.length < this.#capacity;
    const shared = isRoom ? this.#shared : this.#shared.slice(0, this.length);
    shared[this.length] = part;
    return new Path(shared, isRoom ? this.#capacity : Math.max(1, this.#capacity * 2), this.length + 1);
  }
}
