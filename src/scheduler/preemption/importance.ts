import type { Pod } from "../../api/core/pod/schema.ts";

export function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

/** The start in ms since the epoch; a Pod that has not started counts as the youngest. */
export function startOf({ status }: Pod): number {
  return status.startTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(status.startTime);
}

/** The more important Pod first: the higher priority, or else the longer run (scheduler `util.MoreImportantPod`). */
export function byImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || Math.sign(startOf(a) - startOf(b)) || 0;
}
