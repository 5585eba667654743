/** A patch that cannot be applied: `malformed` when no object could take it, otherwise it does not fit this one. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly malformed: boolean;

  constructor(message: string, malformed: boolean) {
    super(message);
    this.malformed = malformed;
  }
}
