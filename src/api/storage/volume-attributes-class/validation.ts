import { type FieldError, forbidden, requiredValue, root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { validateParameters, validateProvisioner } from "../storage-class/validation.ts";
import type { VolumeAttributesClass } from "./schema.ts";

export function* validateVolumeAttributesClass({
  driverName,
  parameters = {},
}: VolumeAttributesClass): Generator<FieldError> {
  yield* validateProvisioner(driverName, root.child("driverName"));
  const path = root.child("parameters");
  yield* validateParameters(parameters, path);
  if (Object.keys(parameters).length === 0) {
    yield requiredValue(path, "must contain at least one key/value pair");
  }
}

export function* validateVolumeAttributesClassUpdate(
  next: VolumeAttributesClass,
  old: VolumeAttributesClass,
): Generator<FieldError> {
  for (const name of ["driverName", "parameters"] as const) {
    if (!deepEqual(next[name], old[name])) {
      yield forbidden(root.child(name), `updates to ${name} are forbidden.`);
    }
  }
  yield* validateVolumeAttributesClass(next);
}
