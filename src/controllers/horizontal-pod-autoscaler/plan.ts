import type { MetricStatus } from "../../api/autoscaling/horizontal-pod-autoscaler/metrics.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import type { Scale } from "../../api/autoscaling/scale/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { present } from "../../util/present.ts";
import type { EventDraft } from "./event-draft.ts";
import { withCondition } from "../../meta/conditions.ts";
import type { ConditionChange, Conditions } from "./conditions.ts";
import { evaluate, type Failure, type Proposal, type Reading } from "./evaluate.ts";
import type { Memory } from "./memory.ts";
import { normalize } from "./normalize.ts";
import { cpuInitializationMs, initialReadinessMs } from "./pod-groups.ts";
import type { Tolerances } from "./replicas.ts";
import type { SelectorProblem } from "./selectors.ts";

/** Upstream's default of `--horizontal-pod-autoscaler-tolerance`. */
const defaultTolerance = 0.1;

/** The answer to the question whether the metrics decide about the number of replicas. */
export type Bounds =
  | { readonly decides: "metrics" }
  /** Nobody: a target with 0 replicas stays as it is. */
  | { readonly decides: "disabled" }
  | { readonly decides: "bounds"; readonly replicas: number; readonly reason: string };

/** The observations that the metrics' decision needs. */
export type Measured =
  | { readonly problem: SelectorProblem }
  /** The selected Pods, and a reading for each metric of the spec, in order. */
  | { readonly pods: readonly Pod[]; readonly readings: readonly Reading[] };

export interface Observed {
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale;
  /** Undefined unless the metrics decide. */
  readonly measured: Measured | undefined;
  readonly memory: Memory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Rescale {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Plan {
  /** The status, if there is no rescale. */
  readonly status: HorizontalPodAutoscalerStatus;
  readonly rescale: Rescale | undefined;
  /** Written before the rescale. */
  readonly events: readonly EventDraft[];
  /** The reason why some or all metrics could not be computed, for the log. */
  readonly error: string | undefined;
  readonly memory: Memory;
}

export function boundsOf({ spec }: HorizontalPodAutoscaler, scale: Scale): Bounds {
  const current = scale.spec.replicas ?? 0;
  const min = minReplicasOf(spec);
  if (current === 0) return { decides: "disabled" };
  if (current > spec.maxReplicas) {
    const reason = "Current number of replicas above Spec.MaxReplicas";
    return { decides: "bounds", replicas: spec.maxReplicas, reason };
  }
  if (current < min)
    return { decides: "bounds", replicas: min, reason: "Current number of replicas below Spec.MinReplicas" };
  return { decides: "metrics" };
}

/**
 * Decides about the number of replicas of a target (upstream `reconcileAutoscaler`, with the feature gate
 * HPAScaleToZero off, as by default).
 */
export function planAutoscaler(observed: Observed): Plan {
  const { hpa, scale, measured, memory, now } = observed;
  const conditions = withCondition(hpa.status.conditions ?? [], succeededGetScale, now);
  const bounds = boundsOf(hpa, scale);
  if (bounds.decides === "metrics") {
    if (measured !== undefined) return planByMetrics({ ...observed, measured, conditions });
    throw new TypeError("Cannot plan: the metrics decide, but there are no readings");
  }
  const current = scale.spec.replicas ?? 0;
  const isDisabled = bounds.decides === "disabled";
  const shown = isDisabled
    ? withCondition(conditions, disabled, now).filter(({ type }) => type !== "ScaledToZero")
    : conditions;
  return {
    status: statusOf(hpa, { current, desired: current, metrics: [], conditions: shown }),
    rescale: isDisabled ? undefined : { from: current, to: bounds.replicas, reason: bounds.reason },
    events: [],
    error: undefined,
    memory,
  };
}

const succeededGetScale: ConditionChange = {
  type: "AbleToScale",
  status: "True",
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};
const disabled: ConditionChange = {
  type: "ScalingActive",
  status: "False",
  reason: "ScalingDisabled",
  message: "scaling is disabled since the replica count of the target is zero",
};

type Measuring = Observed & { readonly measured: Measured; readonly conditions: Conditions };

function planByMetrics(observed: Measuring): Plan {
  const { hpa, scale, memory, now } = observed;
  const current = scale.spec.replicas ?? 0;
  const computed = compute(observed);
  const { events, error, metrics } = computed;
  const conditions = withCondition(observed.conditions, computed.active, now);
  if (computed.best === undefined) {
    const failed = { type: "Warning", reason: "FailedComputeMetricsReplicas", message: error ?? "" } as const;
    const { desiredReplicas: desired } = hpa.status;
    const status = statusOf(hpa, { current, desired, metrics, conditions });
    return { status, rescale: undefined, events: [...events, failed], error, memory };
  }
  const { replicas: desired, name } = computed.best;
  const { maxReplicas: max, behavior } = hpa.spec;
  const min = minReplicasOf(hpa.spec);
  const normal = normalize({ current, desired, min, max, behavior, memory, now });
  const able = withCondition(conditions, { type: "AbleToScale", status: "True", ...normal.able }, now);
  const limited = withCondition(able, { type: "ScalingLimited", ...normal.limited }, now);
  const reason = desired > current ? `${name} above target` : "All metrics below target";
  const rescale =
    normal.replicas === current
      ? undefined
      : { from: current, to: normal.replicas, reason: desired === current ? "" : reason };
  return {
    status: statusOf(hpa, { current, desired: current, metrics, conditions: limited }),
    rescale,
    events,
    error,
    memory: { ...memory, recommendations: normal.recommendations },
  };
}

interface Computed {
  /** The highest proposal; undefined when the metrics give none. */
  readonly best: Pick<Proposal, "replicas" | "name"> | undefined;
  readonly active: ConditionChange;
  /** One for each metric of the spec; an empty one for a metric that failed. */
  readonly metrics: readonly MetricStatus[];
  readonly events: readonly EventDraft[];
  readonly error: string | undefined;
}

/** Evaluates all metrics (upstream `computeReplicasForMetrics`). */
function compute({ hpa, scale, measured, now }: Measuring): Computed {
  if ("problem" in measured) {
    const { event, condition, error } = measured.problem;
    return { best: undefined, active: condition, metrics: [], events: [event], error };
  }
  const { metrics = [] } = hpa.spec;
  const current = scale.spec.replicas ?? 0;
  const situation = {
    current,
    present: scale.status.replicas,
    namespace: hpa.metadata.namespace ?? "",
    pods: measured.pods,
    tolerances: tolerancesOf(hpa),
    periods: { cpuInitializationMs, initialReadinessMs },
    now,
  };
  const outcomes = metrics.map((metric, i) =>
    evaluate(metric, measured.readings[i] ?? { error: "the metric was not read" }, situation),
  );
  const failures = outcomes.filter((one): one is Failure => "error" in one);
  const proposals = outcomes.filter((one): one is Proposal => !("error" in one));
  const best = highest(proposals);
  const [first] = failures;
  const isLower = best !== undefined && best.replicas < current;
  const shared = {
    metrics: outcomes.map((one): MetricStatus => ("error" in one ? { type: "" } : one.status)),
    events: failures.map(({ reason, message }): EventDraft => ({ type: "Warning", reason, message })),
    error:
      first &&
      `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.error}`,
  };
  // A metric that failed might have asked for more, so the others must not scale down.
  if (best === undefined || (first !== undefined && isLower)) {
    return { best: undefined, active: inactive(first), ...shared };
  }
  return { best, active: active(best), ...shared };
}

/** The first of the highest proposals, except that a proposal of 0 never counts before another. */
function highest(proposals: readonly Proposal[]): Proposal | undefined {
  return proposals.reduce<Proposal | undefined>(
    (best, one) => (best === undefined || best.replicas === 0 || one.replicas > best.replicas ? one : best),
    undefined,
  );
}

function active({ name }: Proposal): ConditionChange {
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  return { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message };
}

function inactive({ reason = "", message = "" }: Partial<Failure> = {}): ConditionChange {
  return {
    type: "ScalingActive",
    status: "False",
    reason,
    message: `the HPA was unable to compute the replica count: ${message}`,
  };
}

function tolerancesOf({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
  const read = (text: string | undefined) =>
    text === undefined ? defaultTolerance : Number(parseQuantity(text).nanos) / 1e9;
  return { down: read(behavior?.scaleDown?.tolerance), up: read(behavior?.scaleUp?.tolerance) };
}

/** Upstream's controller drops the observed generation of other writers and sets none. */
function statusOf(
  { status: { lastScaleTime } }: HorizontalPodAutoscaler,
  {
    current,
    desired,
    metrics,
    conditions,
  }: { current: number; desired: number; metrics: readonly MetricStatus[]; conditions: Conditions },
): HorizontalPodAutoscalerStatus {
  return present({
    lastScaleTime,
    currentReplicas: current,
    desiredReplicas: desired,
    currentMetrics: metrics,
    conditions,
  });
}

function minReplicasOf({ minReplicas = 1 }: HorizontalPodAutoscaler["spec"]): number {
  return minReplicas;
}
