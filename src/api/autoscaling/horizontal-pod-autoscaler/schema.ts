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

export const HPAScalingPolicy = message("HPAScalingPolicy", "How much may change in a while.", {
  type: required(1, string, "How the amount is counted: Pods or Percent."),
  value: required(2, int32, "The amount."),
  periodSeconds: required(3, int32, "The while, at most half an hour."),
});
export type HPAScalingPolicy = Out<typeof HPAScalingPolicy>;

export const HPAScalingRules = message("HPAScalingRules", "How to scale in one direction.", {
  stabilizationWindowSeconds: pointer(
    3,
    int32,
    "How far back past recommendations count, against flapping; at most an hour.",
  ),
  selectPolicy: pointer(1, string, "Which of the policies counts: Max, Min, or Disabled for no scaling."),
  policies: pointer(
    2,
    list(HPAScalingPolicy),
    "How much may change; the defaults where there are none, but not an empty list.",
  ),
  tolerance: pointer(4, quantity, "How far a metric may be off without consequences, as a fraction."),
});
export type HPAScalingRules = Out<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = message(
  "HorizontalPodAutoscalerBehavior",
  "How to scale up and down.",
  {
    scaleUp: pointer(1, HPAScalingRules, "How to scale up."),
    scaleDown: pointer(2, HPAScalingRules, "How to scale down."),
  },
);
export type HorizontalPodAutoscalerBehavior = Out<typeof HorizontalPodAutoscalerBehavior>;

export const HorizontalPodAutoscalerSpec = message(
  "HorizontalPodAutoscalerSpec",
  "What a HorizontalPodAutoscaler shall do.",
  {
    scaleTargetRef: required(1, CrossVersionObjectReference, "What is scaled."),
    minReplicas: pointer(2, int32, "No fewer replicas than these.", { default: 1 }),
    maxReplicas: required(3, int32, "No more replicas than these."),
    metrics: optional(4, list(MetricSpec), "What to scale by; the metric that asks for most wins."),
    behavior: pointer(5, HorizontalPodAutoscalerBehavior, "How to scale up and down."),
  },
);
export type HorizontalPodAutoscalerSpec = Out<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerCondition = message(
  "HorizontalPodAutoscalerCondition",
  "One aspect of an autoscaler's state.",
  {
    type: required(1, string, "The aspect."),
    status: required(2, string, "Whether it holds: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "When the status last changed."),
    reason: optional(4, string, "Why, as one CamelCase word for programs."),
    message: optional(5, string, "Why, for people."),
  },
);
export type HorizontalPodAutoscalerCondition = Out<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerStatus = message(
  "HorizontalPodAutoscalerStatus",
  "What is known about a HorizontalPodAutoscaler.",
  {
    observedGeneration: pointer(1, int64, "The generation that this status was made from."),
    lastScaleTime: pointer(2, time, "When the number of replicas last changed."),
    currentReplicas: optional(3, int32, "How many replicas there are."),
    desiredReplicas: required(4, int32, "How many replicas there should be."),
    currentMetrics: required(5, list(MetricStatus), "The metrics, as they were last read."),
    conditions: optional(
      6,
      keyed(HorizontalPodAutoscalerCondition, "type"),
      "Aspects of the state, one entry for each type.",
      { merge: "type" },
    ),
  },
);
export type HorizontalPodAutoscalerStatus = Out<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = message(
  "HorizontalPodAutoscaler",
  "Scales something by what metrics say.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, HorizontalPodAutoscalerSpec, "The desired behaviour."),
    status: optional(3, HorizontalPodAutoscalerStatus, "The observed state."),
  },
);

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
