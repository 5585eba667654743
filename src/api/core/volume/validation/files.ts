import { type FieldError, type FieldPath, forbidden, requiredValue } from "../../../../meta/field-error.ts";
import { parseQuantity } from "../../../../meta/quantity.ts";
import { validateOneOf } from "../../../../meta/validation/report.ts";
import type { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource } from "../schema.ts";
import type { DownwardAPIVolumeSource, KeyToPath } from "../projection.ts";
import { validateDescendingPath, validateFileMode, validatePathNoBacksteps } from "../../validation/paths.ts";
import { validateDownwardFile, validateKeyToPath } from "./projection.ts";

/** Validation of volumes with files that the kubelet finds on the node or writes. */

export function* validateEmptyDir(
  { sizeLimit }: EmptyDirVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  if (sizeLimit !== undefined && parseQuantity(sizeLimit).nanos < 0n) {
    yield forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

export function* validateGitRepo(
  { repository, directory = "" }: GitRepoVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  if (repository === "") yield requiredValue(path.child("repository"));
  yield* validateDescendingPath(directory, path.child("directory"));
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
] as const;

export function* validateHostPath(
  { path, type }: HostPathVolumeSource,
  place: FieldPath,
): Generator<FieldError> {
  if (path === "") {
    yield requiredValue(place.child("path"));
    return;
  }
  yield* validatePathNoBacksteps(path, place.child("path"));
  if (type !== undefined && type !== "") yield* validateOneOf(type, hostPathTypes, place.child("type"));
}

export function* validateDownward(
  { defaultMode, items = [] }: DownwardAPIVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateFileMode(defaultMode, path.child("defaultMode"));
  for (const file of items) yield* validateDownwardFile(file, path);
}

export function* validateKeys(
  { items = [], defaultMode }: { readonly items?: readonly KeyToPath[]; readonly defaultMode?: number },
  field: string,
  name: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (name === undefined) yield requiredValue(path.child(field));
  yield* validateFileMode(defaultMode, path.child("defaultMode"));
  for (const [i, item] of items.entries()) yield* validateKeyToPath(item, path.child("items").index(i));
}
