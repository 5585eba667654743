import type { JobStatus } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

type JobConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

/** Reports whether a Job has the condition with this status. */
export function hasCondition(
  { conditions }: JobStatus,
  type: JobConditionType,
  status: "True" | "False" = "True",
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/** Reports whether a Job is complete or failed. */
export const isFinished = (status: JobStatus): boolean =>
  hasCondition(status, "Complete") || hasCondition(status, "Failed");
