/**
 * Thrown when a patch cannot be applied. `malformed` is true if the patch is invalid for any object, and
 * false if it does not fit this one.
 */
export class PatchError extends Error {
  override readonly name: string = "PatchError";
  readonly malformed: boolean;

  constructor(message: string, malformed: boolean) {
    super(message);
    this.malformed = malformed;
  }
}

/** Thrown when a patch needs more operations than the limit. */
export class PatchTooLargeError extends PatchError {
  override readonly name = "PatchTooLargeError";

  constructor(message: string) {
    super(message, true);
  }
}

/** The message of Go's decoder for a patch of the wrong type. */
export function undecodable(patch: unknown, goType: string): string {
  const kind = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
  return `error decoding patch: json: cannot unmarshal ${kind} into Go value of type ${goType}`;
}
