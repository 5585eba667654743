import type { JobStatus } from "./schema.ts";
import { findCondition } from "../../../meta/conditions.ts";

type JobConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

/** Whether a condition of a Job holds (or, with `status`, explicitly does not). */
export function hasCondition(
  { conditions }: JobStatus,
  type: JobConditionType,
  status: "True" | "False" = "True",
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/** Whether a Job has come to its end, one way or the other. */
export const isFinished = (status: JobStatus): boolean =>
  hasCondition(status, "Complete") || hasCondition(status, "Failed");
