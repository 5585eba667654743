import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";

/** Forbids `..` elements, so that the path stays in its directory. */
export function* validatePathNoBacksteps(path: string, place: FieldPath): Generator<FieldError> {
  if (path.split("/").includes("..")) yield invalid(place, path, "must not contain '..'");
}

export function* validateDescendingPath(path: string, place: FieldPath): Generator<FieldError> {
  if (path.startsWith("/")) yield invalid(place, path, "must be a relative path");
  yield* validatePathNoBacksteps(path, place);
}

/** Forbids names that start with two dots, because the atomic writer of volumes uses such names. */
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
