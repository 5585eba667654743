/**
 * The values of names that are only defined in a part of an expression. The innermost definition counts.
 * Entering and leaving a part takes time in proportion to its own names only.
 */
export class Scope<T> {
  readonly #meanings = new Map<string, T>();

  get(name: string): T | undefined {
    return this.#meanings.get(name);
  }

  /** Runs `something` with these definitions. The later of two definitions of a name counts. */
  within<R>(names: Iterable<readonly [string, T]>, something: () => R): R {
    const hidden: (readonly [string, T | undefined])[] = [];
    for (const [name, meaning] of names) {
      hidden.push([name, this.#meanings.get(name)]);
      this.#meanings.set(name, meaning);
    }
    try {
      return something();
    } finally {
      for (const [name, meaning] of hidden.toReversed()) {
        if (meaning === undefined) this.#meanings.delete(name);
        else this.#meanings.set(name, meaning);
      }
    }
  }
}
