import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { validateResourceAmount } from "../../core/validation/resources.ts";
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules } from "./schema.ts";
import { validateMetric } from "./validation-metrics.ts";
import { validateReference, versionProblem } from "./validation-reference.ts";

const path = root.child("spec");

const max = { window: 3600, period: 1800 } as const;

/** Validates an autoscaler. Tolerates some invalid values that the old object already has. */
export function* validateHorizontalPodAutoscaler(
  { spec }: HorizontalPodAutoscaler,
  old?: HorizontalPodAutoscaler,
): Generator<FieldError> {
  const { minReplicas = 1, maxReplicas, scaleTargetRef: target, metrics = [], behavior } = spec;
  const least = old?.spec.minReplicas === 0 ? 0 : 1;
  if (minReplicas < least) {
    yield invalid(path.child("minReplicas"), minReplicas, `must be greater than or equal to ${least}`);
  }
  const maxPath = path.child("maxReplicas");
  if (maxReplicas === 0) yield requiredValue(maxPath, "must be set and greater than 0");
  else if (maxReplicas < 0) yield invalid(maxPath, maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas) {
    yield invalid(maxPath, maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  const before = old?.spec.scaleTargetRef;
  const isKnown = before?.apiVersion === target.apiVersion && before?.kind === target.kind;
  const versions =
    isKnown && before !== undefined ? "any" : target.kind === "ReplicationController" ? "core" : "group";
  yield* validateReference(target, path.child("scaleTargetRef"), versions);
  const wasWrong = (old?.spec.metrics ?? []).some(
    ({ object }) => object !== undefined && versionProblem(object.describedObject, "core") !== undefined,
  );
  for (const [i, metric] of metrics.entries()) {
    yield* validateMetric(metric, path.child("metrics").index(i), wasWrong ? "any" : "core");
  }
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield forbidden(path.child("metrics"), why);
  }
  yield* validateRules(behavior?.scaleUp, path.child("behavior", "scaleUp"));
  yield* validateRules(behavior?.scaleDown, path.child("behavior", "scaleDown"));
}

export function* validateHorizontalPodAutoscalerStatus({
  status,
}: HorizontalPodAutoscaler): Generator<FieldError> {
  yield* validateNonNegative(status.currentReplicas, root.child("status", "currentReplicas"));
  yield* validateNonNegative(status.desiredReplicas, root.child("status", "desiredReplicas"));
}

function* validateRules(rules: HPAScalingRules | undefined, place: FieldPath): Generator<FieldError> {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = place.child("stabilizationWindowSeconds");
  if (window < 0) yield invalid(windowPath, window, "must be greater than or equal to zero");
  if (window > max.window) yield invalid(windowPath, window, `must be less than or equal to ${max.window}`);
  const selections = ["Disabled", "Max", "Min"];
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    yield notSupported(place.child("selectPolicy"), selectPolicy, selections);
  }
  if (policies.length === 0) yield requiredValue(place.child("policies"), "must specify at least one Policy");
  for (const [i, policy] of policies.entries())
    yield* validatePolicy(policy, place.child("policies").index(i));
  if (tolerance !== undefined) yield* validateResourceAmount("", tolerance, place.child("tolerance"));
}

function* validatePolicy(
  { type, value, periodSeconds }: HPAScalingPolicy,
  place: FieldPath,
): Generator<FieldError> {
  if (type !== "Pods" && type !== "Percent") {
    yield notSupported(place.child("type"), type, ["Percent", "Pods"]);
  }
  if (value <= 0) yield invalid(place.child("value"), value, "must be greater than zero");
  const periodPath = place.child("periodSeconds");
  if (periodSeconds <= 0) yield invalid(periodPath, periodSeconds, "must be greater than zero");
  if (periodSeconds > max.period) {
    yield invalid(periodPath, periodSeconds, `must be less than or equal to ${max.period}`);
  }
}
