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
  "A reference to an object.",
  {
    kind: required(1, string, "The object's kind."),
    name: required(2, string, "The object's name."),
    apiVersion: optional(3, string, "The object's group and version."),
  },
  { atomic: true },
);
export type CrossVersionObjectReference = Out<typeof CrossVersionObjectReference>;

export const HorizontalPodAutoscalerSpec = message(
  "HorizontalPodAutoscalerSpec",
  "The desired state of a HorizontalPodAutoscaler.",
  {
    scaleTargetRef: required(1, CrossVersionObjectReference, "The object that is scaled."),
    minReplicas: pointer(2, int32, "The minimum number of replicas.", { default: 1 }),
    maxReplicas: required(3, int32, "The maximum number of replicas."),
    targetCPUUtilizationPercentage: pointer(
      4,
      int32,
      "The target CPU utilization, as a percentage of the requests.",
    ),
  },
);
export type HorizontalPodAutoscalerSpec = Out<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerStatus = message(
  "HorizontalPodAutoscalerStatus",
  "The observed state of a HorizontalPodAutoscaler.",
  {
    observedGeneration: pointer(1, int64, "The generation that this status reflects."),
    lastScaleTime: pointer(2, time, "The time when the number of replicas last changed."),
    currentReplicas: required(3, int32, "The current number of replicas."),
    desiredReplicas: required(4, int32, "The desired number of replicas."),
    currentCPUUtilizationPercentage: pointer(
      5,
      int32,
      "The current CPU utilization, as a percentage of the requests.",
    ),
  },
);
export type HorizontalPodAutoscalerStatus = Out<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = message(
  "HorizontalPodAutoscaler",
  "Scales a workload by the CPU usage of its Pods.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, HorizontalPodAutoscalerSpec, "The desired behaviour."),
    status: optional(3, HorizontalPodAutoscalerStatus, "The observed state."),
  },
);

/** The older form of `autoscaling/v2`. It keeps parts that it has no fields for in annotations. */
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
