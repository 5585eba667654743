import type { Correlation } from "../../../api/apiextensions/values/correlation.ts";

/**
 * Finds unchanged values, whose old errors are tolerated (`ratchetingOptions` of `schema/cel/validation.go`).
 */
export class Ratchet {
  /** The ratchet of values without an old value. */
  static readonly none = new Ratchet(undefined, undefined);
  /** Undefined for a value without a counterpart in the old object. */
  readonly #here: Correlation | undefined;
  /** The nearest ancestor with a counterpart. */
  readonly #above: Correlation | undefined;

  constructor(here: Correlation | undefined, above: Correlation | undefined) {
    this.#here = here;
    this.#above = above;
  }

  get isUnchanged(): boolean {
    return (this.#here ?? this.#above)?.isUnchanged === true;
  }

  key(name: string): Ratchet {
    const here = this.#here;
    if (here === undefined) return this;
    // Both objects were converted to the same version: a change of these fields is invisible.
    if (this.#above === undefined && (name === "apiVersion" || name === "kind")) return Ratchet.none;
    return new Ratchet(here.key(name), here);
  }

  index(index: number): Ratchet {
    const here = this.#here;
    return here === undefined ? this : new Ratchet(here.index(index), here);
  }
}
