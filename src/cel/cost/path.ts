/**
 * The origin of a value: a variable, followed by fields and parts. Upstream's paths are Go slices that share
 * memory: a second part appended to the same path may overwrite the first one's, and estimates depend on
 * that. Estimates decide whether a rule is accepted, so these paths share their memory as Go's do.
 */
export class Path {
  static readonly none = new Path([], 0, 0);
  /** Shared with other paths. The first `length` parts belong to this path. */
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

  /** Appends one part, in the same memory if its capacity suffices. */
  append(part: string): Path {
    const isRoom = this.length < this.#capacity;
    const shared = isRoom ? this.#shared : this.#shared.slice(0, this.length);
    shared[this.length] = part;
    return new Path(shared, isRoom ? this.#capacity : Math.max(1, this.#capacity * 2), this.length + 1);
  }
}
