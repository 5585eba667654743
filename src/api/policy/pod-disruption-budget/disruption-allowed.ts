import type { Condition } from "../../../meta/v1.ts";
import type { PodDisruptionBudgetStatus } from "./schema.ts";
import { findCondition, withCondition } from "../../../meta/conditions.ts";

/** The parts of the condition `DisruptionAllowed` that depend on the budget. */
export type Verdict = Pick<Condition, "status" | "reason" | "message">;

export function disruptionAllowed(status: PodDisruptionBudgetStatus): Condition | undefined {
  return findCondition(status.conditions, "DisruptionAllowed");
}

/** The condition for the number of allowed disruptions (component-helpers `apps/poddisruptionbudget`). */
export function verdictOf({ disruptionsAllowed }: PodDisruptionBudgetStatus): Verdict {
  return disruptionsAllowed > 0
    ? { status: "True", reason: "SufficientPods", message: "" }
    : { status: "False", reason: "InsufficientPods", message: "" };
}

/**
 * The status with this condition. Its transition time only changes with its status. `now` is in ms since the
 * epoch.
 */
export function withVerdict(
  status: PodDisruptionBudgetStatus,
  verdict: Verdict,
  now: number,
): PodDisruptionBudgetStatus {
  const { conditions = [], observedGeneration } = status;
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const change = { type: "DisruptionAllowed", ...verdict, ...generation };
  return { ...status, conditions: withCondition<Condition>(conditions, change, now) };
}
