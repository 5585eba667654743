import { type FieldError, type FieldPath, invalid, requiredValue, tooLong } from "../../meta/field-error.ts";
import { validateDriverName } from "../core/volume/validation/volume.ts";
import type { DeviceConfiguration } from "./v1/device-configuration.ts";

/** The maximum number of configurations in a claim or a class. An allocation contains those of both. */
export const maxConfigurations = 32;

const maxRawBytes = 10 * 1024;

/** `isStored` is true if the stored object has the same configuration, which may exceed the limit. */
export function* validateConfiguration(
  { opaque }: DeviceConfiguration,
  path: FieldPath,
  isStored = false,
): Generator<FieldError> {
  if (opaque === undefined) {
    yield requiredValue(path.child("opaque"));
    return;
  }
  yield* validateDriverName(opaque.driver, path.child("opaque", "driver"));
  yield* validateRaw(opaque.parameters, path.child("opaque", "parameters"), isStored);
}

/**
 * Requires an object of limited length. The length excludes white space, whereas upstream counts the client's
 * bytes.
 */
export function* validateRaw(value: unknown, path: FieldPath, isStored = false): Generator<FieldError> {
  if (value === undefined || value === null) yield requiredValue(path);
  else if (!isStored && Buffer.byteLength(JSON.stringify(value)) > maxRawBytes) {
    yield tooLong(path, maxRawBytes);
  } else if (typeof value !== "object" || Array.isArray(value)) {
    yield invalid(path, "<value omitted>", "must be a valid JSON object");
  }
}
