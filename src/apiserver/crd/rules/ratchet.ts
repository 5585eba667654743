import type { Correlation } from "../../../api/apiextensions/values/correlation.ts";

/** Tells where nothing changed: what was wrong there before may stay (`ratchetingOptions` of `schema/cel/validation.go`). */
export class Ratchet {
  /** Nothing is known of what was there before. */
  static readonly none = new Ratchet(undefined, undefined);
  /** undefined in what cannot be found again in the old object. */
  readonly #here: Correlation | undefined;
  /** The nearest place above that can. */
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
    // Both objects were converted to the same version: a change of these cannot be seen.
    if (this.#above === undefined && (name === "apiVersion" || name === "kind")) return Ratchet.none;
    return new Ratchet(here.key(name), here);
  }

  index(index: number): Ratchet {
    const here = this.#here;
    return here === undefined ? this : new Ratchet(here.index(index), here);
  }
}
