/** A patch that cannot be applied: `malformed` when no object could take it, otherwise it does not fit this one. */
export class PatchError extends Error {
  override readonly name: string = "PatchError";
  readonly malformed: boolean;

  constructor(message: string, malformed: boolean) {
    super(message);
    this.malformed = malformed;
  }
}

/** A patch with more operations than a server carries out. */
export class PatchTooLargeError extends PatchError {
  override readonly name = "PatchTooLargeError";

  constructor(message: string) {
    super(message, true);
  }
}
