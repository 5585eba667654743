/**
 * What names mean that stand for something only within a part of an expression: the innermost counts. Entering
 * and leaving takes as many steps as there are new names, however many there are around.
 */
export class Scope<T> {
  readonly #meanings = new Map<string, T>();

  get(name: string): T | undefined {
    return this.#meanings.get(name);
  }

  /** Does something where these names mean this; of the same name twice, the later counts. */
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
