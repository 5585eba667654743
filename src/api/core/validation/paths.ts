import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";

/** A path that stays within its directory. */
export function* validatePathNoBacksteps(path: string, place: FieldPath): Generator<FieldError> {
  if (path.split("/").includes("..")) yield invalid(place, path, "must not contain '..'");
}

export function* validateDescendingPath(path: string, place: FieldPath): Generator<FieldError> {
  if (path.startsWith("/")) yield invalid(place, path, "must be a relative path");
  yield* validatePathNoBacksteps(path, place);
}

/** The atomic writer of volumes keeps names that start with two dots for itself. */
export function* validateUnreservedPath(path: string, place: FieldPath): Generator<FieldError> {
  yield* validateDescendingPath(path, place);
  if (path.startsWith("..") && !path.startsWith("../"))
    yield invalid(place, path, "must not start with '..'");
}

export function* validateFileMode(mode: number | undefined, place: FieldPath): Generator<FieldError> {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    yield invalid(place, mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}
