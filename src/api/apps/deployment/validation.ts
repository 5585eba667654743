import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { percentOf, validateCountOrPercent, validateNonNegative } from "../../../meta/validation/number.ts";
import { validateCollisionCount, validateReplicaCounts } from "../../core/validation/replica-counts.ts";
import { validateSelectedTemplate, validateSelector } from "../validation.ts";
import type { Deployment, DeploymentStrategy } from "./schema.ts";

const path = root.child("spec");

const statusPath = root.child("status");

/** The number, or the number before the percent sign. */
export function amountOf(value: number | string | undefined): number {
  return percentOf(value) ?? (typeof value === "number" ? value : 0);
}

export function* validateAtMostAll(
  value: number | string | undefined,
  place: FieldPath,
): Generator<FieldError> {
  if ((percentOf(value) ?? 0) > 100) yield invalid(place, value, "must not be greater than 100%");
}

export function* validateDeployment({ spec }: Deployment): Generator<FieldError> {
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  yield* validateSelector(spec.selector, "deployment", path.child("selector"));
  yield* validateSelectedTemplate(spec.selector, spec.template, "ReplicaSet", path.child("template"));
  yield* validateStrategy(spec.strategy, path.child("strategy"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  yield* validateNonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit"));
  const { progressDeadlineSeconds: deadline } = spec;
  if (deadline === undefined) return;
  const place = path.child("progressDeadlineSeconds");
  yield* validateNonNegative(deadline, place);
  if (deadline <= (spec.minReadySeconds ?? 0)) {
    yield invalid(place, deadline, "must be greater than minReadySeconds");
  }
}

function* validateStrategy(strategy: DeploymentStrategy, place: FieldPath): Generator<FieldError> {
  const { type, rollingUpdate } = strategy;
  const rolling = place.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      yield forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type !== "RollingUpdate") yield notSupported(place, strategy, ["Recreate", "RollingUpdate"]);
  else if (rollingUpdate === undefined) {
    yield requiredValue(rolling, "this should be defaulted and never be nil");
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    yield* validateCountOrPercent(maxUnavailable, rolling.child("maxUnavailable"));
    yield* validateCountOrPercent(maxSurge, rolling.child("maxSurge"));
    if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
      yield invalid(rolling.child("maxUnavailable"), maxUnavailable, "may not be 0 when `maxSurge` is 0");
    }
    yield* validateAtMostAll(maxUnavailable, rolling.child("maxUnavailable"));
  }
}

export function* validateDeploymentStatus(
  { status }: Deployment,
  { status: old }: Deployment,
): Generator<FieldError> {
  const parts = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  yield* validateReplicaCounts(status, statusPath, parts);
  yield* validateCollisionCount(status.collisionCount, old.collisionCount, statusPath);
}
