import { type FieldError, invalid, notSupported, root } from "../../../meta/field-error.ts";
import { validateConditions } from "../../../meta/validation/conditions.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { validateCountOrPercent, validateNonNegative } from "../../../meta/validation/number.ts";
import { validateAtMostAll } from "../../apps/deployment/validation.ts";
import type { PodDisruptionBudget } from "./schema.ts";

const path = root.child("spec");
const statusPath = root.child("status");

export function* validatePodDisruptionBudget({ spec }: PodDisruptionBudget): Generator<FieldError> {
  const { minAvailable, maxUnavailable, selector } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    yield invalid(path, spec, "minAvailable and maxUnavailable cannot be both set");
  }
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    yield* validateCountOrPercent(value, path.child(name));
    yield* validateAtMostAll(value, path.child(name));
  }
  yield* validateLabelSelector(selector, path.child("selector"));
  const policy: string | undefined = spec.unhealthyPodEvictionPolicy;
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  if (policy !== undefined && !policies.includes(policy)) {
    yield notSupported(path.child("unhealthyPodEvictionPolicy"), policy, policies);
  }
}

export function* validatePodDisruptionBudgetStatus({ status }: PodDisruptionBudget): Generator<FieldError> {
  yield* validateConditions(status.conditions, statusPath.child("conditions"));
  for (const name of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
    yield* validateNonNegative(status[name], statusPath.child(name));
  }
}
