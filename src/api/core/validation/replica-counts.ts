import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";

/** The counts in the status of a kind with replicas. */
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

/**
 * Requires that no count is negative, no part exceeds the whole, and no more Pods are available than ready.
 */
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

/** Forbids decreasing the collision count. */
export function* validateCollisionCount(
  now: number | undefined,
  before: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (before !== undefined && (now === undefined || now < before)) {
    yield invalid(path.child("collisionCount"), now ?? 0, "cannot be decremented");
  }
}
