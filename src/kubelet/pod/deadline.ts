import type { Pod } from "../../api/core/pod/schema.ts";
import { isEnding, type PodEnd } from "./view.ts";

/** The end of a Pod at its `activeDeadlineSeconds` (kubelet `active_deadline.go`). */
export const deadlineExceeded: PodEnd = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

/** Timers of Node.js hold at most 24 days: later deadlines are looked at again every day. */
const longestWaitMs = 86_400_000;

/** Returns the milliseconds until the Pod must be looked at because of its deadline: 0 once it is exceeded. */
export function deadlineInMs(pod: Pod, now: number): number | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  const { startTime } = pod.status;
  if (activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  if (isEnding({ pod, end: undefined })) return undefined;
  const leftMs = Date.parse(startTime) + activeDeadlineSeconds * 1000 - now;
  return Math.min(Math.max(leftMs, 0), longestWaitMs);
}
