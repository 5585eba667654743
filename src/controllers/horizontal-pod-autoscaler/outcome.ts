import type { HorizontalPodAutoscaler } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { withCondition } from "../../meta/conditions.ts";
import type { EventDraft } from "./event-draft.ts";
import { remembered } from "./memory.ts";
import type { Plan, Rescale } from "./plan.ts";

/** The result of a rescale that succeeded. */
export function afterRescale(
  plan: Plan,
  { from, to, reason }: Rescale,
  { spec: { behavior } }: HorizontalPodAutoscaler,
  now: number,
): Pick<Plan, "status" | "memory"> & { readonly event: EventDraft } {
  const message = `the HPA controller was able to update the target scale to ${to}`;
  const able = { type: "AbleToScale", status: "True", reason: "SucceededRescale", message } as const;
  const conditions = withCondition(plan.status.conditions ?? [], able, now).filter(
    ({ type }) => type !== "ScaledToZero",
  );
  const status = { ...plan.status, desiredReplicas: to, lastScaleTime: formatTime(now), conditions };
  return {
    status,
    memory: remembered(plan.memory, behavior, { from, to, now }),
    event: { type: "Normal", reason: "SuccessfulRescale", message: `New size: ${to}; reason: ${reason}` },
  };
}

/** The result of a rescale that the target refused. */
export function afterRefusal(
  plan: Plan,
  { to, reason }: Rescale,
  { status: { desiredReplicas } }: HorizontalPodAutoscaler,
  error: string,
  now: number,
): Pick<Plan, "status"> & { readonly event: EventDraft } {
  const message = `the HPA controller was unable to update the target scale: ${error}`;
  const able = { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message } as const;
  const conditions = withCondition(plan.status.conditions ?? [], able, now);
  const text = `New size: ${to}; reason: ${reason}; error: ${error}`;
  return {
    status: { ...plan.status, desiredReplicas, conditions },
    event: { type: "Warning", reason: "FailedRescale", message: text },
  };
}

/** The status and the Event of an autoscaler whose target's scale could not be read. */
export function withoutScale(
  { status }: HorizontalPodAutoscaler,
  error: string,
  now: number,
): Pick<Plan, "status"> & { readonly event: EventDraft } {
  const message = `the HPA controller was unable to get the target's current scale: ${error}`;
  const able = { type: "AbleToScale", status: "False", reason: "FailedGetScale", message } as const;
  return {
    status: { ...status, conditions: withCondition(status.conditions ?? [], able, now) },
    event: { type: "Warning", reason: "FailedGetScale", message: error },
  };
}
