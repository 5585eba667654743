import { type FieldError, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { validateSubdomain } from "../../../meta/validation/report.ts";
import { validateResourceAmount } from "../../core/validation/resources.ts";
import type { CSIStorageCapacity } from "./schema.ts";

export function* validateCSIStorageCapacity(capacity: CSIStorageCapacity): Generator<FieldError> {
  yield* validateLabelSelector(capacity.nodeTopology, root.child("nodeTopology"));
  yield* validateSubdomain(capacity.storageClassName, root.child("storageClassName"));
  if (capacity.capacity !== undefined) {
    yield* validateResourceAmount("", capacity.capacity, root.child("capacity"));
  }
}

export function* validateCSIStorageCapacityUpdate(
  next: CSIStorageCapacity,
  old: CSIStorageCapacity,
): Generator<FieldError> {
  for (const name of ["nodeTopology", "storageClassName"] as const) {
    yield* validateImmutable(next[name], old[name], root.child(name));
  }
}
