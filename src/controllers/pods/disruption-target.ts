import type { PodCondition } from "../../api/core/pod/status.ts";
import { formatTime } from "../../util/clock.ts";

/** The condition of a Pod that is about to end because of a disruption. */
export function disruptionTarget(reason: string, message: string, now: number): PodCondition {
  return { type: "DisruptionTarget", status: "True", reason, message, lastTransitionTime: formatTime(now) };
}
