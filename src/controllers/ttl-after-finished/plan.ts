import type { Job } from "../../api/batch/job/schema.ts";

/**
 * Milliseconds until a finished Job's time to live is over, 0 when it is over; undefined for a Job that is not to
 * be deleted.
 */
export function untilExpiredMs({ metadata, spec, status }: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  if (metadata.deletionTimestamp !== undefined || ttlSecondsAfterFinished === undefined) return undefined;
  const end = status.conditions?.find((one) => isEnd(one.type) && one.status === "True");
  if (end?.lastTransitionTime === undefined) return undefined;
  return Math.max(0, Date.parse(end.lastTransitionTime) + ttlSecondsAfterFinished * 1000 - now);
}

const isEnd = (type: string | undefined) => type === "Complete" || type === "Failed";
