import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.autoscaling.v1");

export const CrossVersionObjectReference = message(
  "CrossVersionObjectReference",
  "Refers to an object.",
  {
    kind: required(1, string, "Its kind."),
    name: required(2, string, "Its name."),
    apiVersion: optional(3, string, "Its group and version."),
  },
  { atomic: true },
);
export type CrossVersionObjectReference = Out<typeof CrossVersionObjectReference>;

export const HorizontalPodAutoscalerSpec = message(
  "HorizontalPodAutoscalerSpec",
  "What a HorizontalPodAutoscaler shall do.",
  {
    scaleTargetRef: required(1, CrossVersionObjectReference, "What is scaled."),
    minReplicas: pointer(2, int32, "No fewer replicas than these.", { default: 1 }),
    maxReplicas: required(3, int32, "No more replicas than these."),
    targetCPUUtilizationPercentage: pointer(
      4,
      int32,
      "How much CPU the Pods should use of what they request.",
    ),
  },
);
export type HorizontalPodAutoscalerSpec = Out<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = message(
  "HorizontalPodAutoscalerStatus",
  "What is known about a HorizontalPodAutoscaler.",
  {
    observedGeneration: pointer(1, int64, "The generation that this status was made from."),
    lastScaleTime: pointer(2, time, "When the number of replicas last changed."),
    currentReplicas: required(3, int32, "How many replicas there are."),
    desiredReplicas: required(4, int32, "How many replicas there should be."),
    currentCPUUtilizationPercentage: pointer(5, int32, "How much CPU the Pods use of what they request."),
  },
);
export type HorizontalPodAutoscalerStatus = Out<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = message(
  "HorizontalPodAutoscaler",
  "Scales something by the CPU that its Pods use.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, HorizontalPodAutoscalerSpec, "The desired behaviour."),
    status: optional(3, HorizontalPodAutoscalerStatus, "The observed state."),
  },
);

/** The older form of `autoscaling/v2`; what it has no fields for stands in annotations. */
export const horizontalPodAutoscalers = defineKind(HorizontalPodAutoscaler, {
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  namespaced: true,
  shortNames: ["hpa"],
  categories: ["all"],
  status: true,
});
export type HorizontalPodAutoscaler = ObjectOf<typeof horizontalPodAutoscalers>;
