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

/** What Go's decoder says of a patch of a wrong type. */
export function undecodable(patch: unknown, goType: string): string {
  const kind = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
  return `error decoding patch: json: cannot unmarshal ${kind} into Go value of type ${goType}`;
}
