import { FieldPath, type FieldError, invalid } from "../../meta/field-error.ts";
import type { ScalePaths } from "../../meta/kind.ts";
import { nestedField } from "./nested-field.ts";

const maxInt32 = 2 ** 31 - 1;

/** Validates the fields of the scale subresource (`customResourceValidator.ValidateScaleSpec`). */
export function* validateScaleSpec(object: object, paths: ScalePaths | undefined): Generator<FieldError> {
  if (paths !== undefined) yield* validateReplicas(object, paths.specReplicas);
}

export function* validateScaleStatus(object: object, paths: ScalePaths | undefined): Generator<FieldError> {
  if (paths === undefined) return;
  yield* validateReplicas(object, paths.statusReplicas);
  if (paths.selector === undefined) return;
  const found = nestedField(object, paths.selector, "string");
  if (found.type === "mismatch") yield invalid(fieldPathOf(paths.selector), "", found.message);
}

function fieldPathOf(path: string): FieldPath {
  return new FieldPath(`.${path}`);
}

function* validateReplicas(object: object, path: string): Generator<FieldError> {
  const found = nestedField(object, path, "int64");
  const place = fieldPathOf(path);
  if (found.type === "mismatch") yield invalid(place, 0, found.message);
  if (found.type !== "found") return;
  const replicas = Number(found.value);
  if (replicas < 0) yield invalid(place, replicas, "should be a non-negative integer");
  else if (replicas > maxInt32) {
    yield invalid(place, replicas, `should be less than or equal to ${maxInt32}`);
  }
}
