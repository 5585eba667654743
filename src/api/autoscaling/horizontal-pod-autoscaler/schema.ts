import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  keyed,
  list,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./metrics.ts";

const message = messages("io.k8s.api.autoscaling.v2");

export const HPAScalingPolicy = message(
  "HPAScalingPolicy",
  "A limit on the change of replicas within a period.",
  {
    type: required(1, string, "The unit of the value: Pods or Percent."),
    value: required(2, int32, "The amount."),
    periodSeconds: required(3, int32, "The period in seconds, at most 1800."),
  },
);
export type HPAScalingPolicy = Out<typeof HPAScalingPolicy>;

export const HPAScalingRules = message("HPAScalingRules", "The scaling rules of one direction.", {
  stabilizationWindowSeconds: pointer(
    3,
    int32,
    "The number of seconds for which past recommendations are considered, to prevent flapping; at most 3600.",
  ),
  selectPolicy: pointer(1, string, "The policy that applies: Max, Min, or Disabled for no scaling."),
  policies: pointer(
    2,
    list(HPAScalingPolicy),
    "The limits on changes; the default policies when absent. Cannot be an empty list.",
  ),
  tolerance: pointer(4, quantity, "The deviation from the target that causes no scaling, as a fraction."),
});
export type HPAScalingRules = Out<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = message(
  "HorizontalPodAutoscalerBehavior",
  "The scaling behaviour in both directions.",
  {
    scaleUp: pointer(1, HPAScalingRules, "The rules for scaling up."),
    scaleDown: pointer(2, HPAScalingRules, "The rules for scaling down."),
  },
);
export type HorizontalPodAutoscalerBehavior = Out<typeof HorizontalPodAutoscalerBehavior>;

export const HorizontalPodAutoscalerSpec = message(
  "HorizontalPodAutoscalerSpec",
  "The desired state of a HorizontalPodAutoscaler.",
  {
    scaleTargetRef: required(1, CrossVersionObjectReference, "The object that is scaled."),
    minReplicas: pointer(2, int32, "The minimum number of replicas.", { default: 1 }),
    maxReplicas: required(3, int32, "The maximum number of replicas."),
    metrics: optional(4, list(MetricSpec), "The metrics to scale by; the highest recommendation applies."),
    behavior: pointer(5, HorizontalPodAutoscalerBehavior, "The scaling behaviour in both directions."),
  },
);
export type HorizontalPodAutoscalerSpec = Out<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerCondition = message(
  "HorizontalPodAutoscalerCondition",
  "A condition of an autoscaler.",
  {
    type: required(1, string, "The condition's type."),
    status: required(2, string, "The condition's status: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
    reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(5, string, "A human-readable explanation."),
  },
);
export type HorizontalPodAutoscalerCondition = Out<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerStatus = message(
  "HorizontalPodAutoscalerStatus",
  "The observed state of a HorizontalPodAutoscaler.",
  {
    observedGeneration: pointer(1, int64, "The generation that this status reflects."),
    lastScaleTime: pointer(2, time, "The time when the number of replicas last changed."),
    currentReplicas: optional(3, int32, "The current number of replicas."),
    desiredReplicas: required(4, int32, "The desired number of replicas."),
    currentMetrics: required(5, list(MetricStatus), "The metrics as last read."),
    conditions: optional(
      6,
      keyed(HorizontalPodAutoscalerCondition, "type"),
      "The conditions, one for each type.",
      { merge: "type" },
    ),
  },
);
export type HorizontalPodAutoscalerStatus = Out<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = message("HorizontalPodAutoscaler", "Scales a workload by metrics.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, HorizontalPodAutoscalerSpec, "The desired behaviour."),
  status: optional(3, HorizontalPodAutoscalerStatus, "The observed state."),
});

/** The stored form. */
export const horizontalPodAutoscalers = defineKind(HorizontalPodAutoscaler, {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  namespaced: true,
  shortNames: ["hpa"],
  categories: ["all"],
  status: true,
});
export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalers>;
