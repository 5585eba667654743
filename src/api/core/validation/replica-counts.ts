import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";

/** The numbers in the status of something that keeps replicas. */
export interface ReplicaCounts {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

const names = [
  "replicas",
  "fullyLabeledReplicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "currentReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "observedGeneration",
  "collisionCount",
] as const;

/** No number is negative, `parts` do not exceed the whole, and only what is ready is available. */
export function* validateReplicaCounts(
  status: ReplicaCounts,
  path: FieldPath,
  parts: readonly (keyof ReplicaCounts)[],
  readyName = "readyReplicas",
): Generator<FieldError> {
  for (const name of names) yield* validateNonNegative(status[name], path.child(name));
  for (const name of parts) {
    const part = status[name] ?? 0;
    if (part > (status.replicas ?? 0)) {
      yield invalid(path.child(name), part, "cannot be greater than status.replicas");
    }
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    yield invalid(path.child("availableReplicas"), available, `cannot be greater than ${readyName}`);
  }
}

/** How often names collided only grows. */
export function* validateCollisionCount(
  now: number | undefined,
  before: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (before !== undefined && (now === undefined || now < before)) {
    yield invalid(path.child("collisionCount"), now ?? 0, "cannot be decremented");
  }
}
