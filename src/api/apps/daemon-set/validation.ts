import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateCountOrPercent, validateNonNegative } from "../../../meta/validation/number.ts";
import { validateCollisionCount } from "../../core/validation/replica-counts.ts";
import { amountOf, validateAtMostAll } from "../deployment/validation.ts";
import { validateSelectedTemplate, validateSelector } from "../validation.ts";
import type { DaemonSet, DaemonSetUpdateStrategy } from "./schema.ts";

const path = root.child("spec");

const statusPath = root.child("status");

export function* validateDaemonSet({ spec }: DaemonSet): Generator<FieldError> {
  if (spec.selector !== undefined)
    yield* validateSelector(spec.selector, "daemonset", path.child("selector"));
  yield* validateSelectedTemplate(spec.selector, spec.template, "DaemonSet", path.child("template"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  yield* validateDaemonStrategy(spec.updateStrategy, path.child("updateStrategy"));
  yield* validateNonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit"));
}

function* validateDaemonStrategy(strategy: DaemonSetUpdateStrategy, place: FieldPath): Generator<FieldError> {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    yield notSupported(place, strategy, ["RollingUpdate", "OnDelete"]);
    return;
  }
  const rolling = place.child("rollingUpdate");
  if (rollingUpdate === undefined) {
    yield requiredValue(rolling);
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  for (const [name, value] of Object.entries({ maxUnavailable, maxSurge })) {
    yield* validateCountOrPercent(value, rolling.child(name));
    yield* validateAtMostAll(value, rolling.child(name));
  }
  const [unavailable, surge] = [maxUnavailable, maxSurge].map(amountOf);
  if (unavailable !== 0 && surge !== 0) {
    yield invalid(rolling.child("maxSurge"), maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (unavailable === 0 && surge === 0) {
    yield requiredValue(rolling.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
  }
}

const daemonCounts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const;

export function* validateDaemonSetStatus(
  { status }: DaemonSet,
  { status: old }: DaemonSet,
): Generator<FieldError> {
  for (const name of daemonCounts) yield* validateNonNegative(status[name], statusPath.child(name));
  yield* validateCollisionCount(status.collisionCount, old.collisionCount, statusPath);
}
