import type { HorizontalPodAutoscalerCondition } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";

export type Conditions = readonly HorizontalPodAutoscalerCondition[];

export interface ConditionChange {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}
