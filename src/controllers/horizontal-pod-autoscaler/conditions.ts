import type { HorizontalPodAutoscalerCondition } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { formatTime } from "../../util/clock.ts";

export type Conditions = readonly HorizontalPodAutoscalerCondition[];

export interface ConditionChange {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Sets a condition. Its transition time changes with its status only (upstream `setConditionInList`). */
export function withCondition(conditions: Conditions, change: ConditionChange, now: number): Conditions {
  const present = findCondition(conditions, change.type);
  const isSame = present?.status === change.status && present.lastTransitionTime !== undefined;
  const lastTransitionTime = isSame ? present.lastTransitionTime : formatTime(now);
  const { type, status, reason, message } = change;
  const next: HorizontalPodAutoscalerCondition = { type, status, lastTransitionTime, reason, message };
  return present === undefined
    ? [...conditions, next]
    : conditions.map((one) => (one === present ? next : one));
}
