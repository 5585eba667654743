import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";

export function podCondition({ status }: Pod, type: string): PodCondition | undefined {
  return findCondition(status.conditions, type);
}

export function isReady(pod: Pod): boolean {
  return isConditionTrue(pod.status.conditions, "Ready");
}

/** Whether the Pod has ended: its containers will never run again. */
export function isTerminal({ status: { phase } }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Whether the Pod counts as a replica: it neither has ended nor is being deleted. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the Pod is being deleted and may still run. */
export function isTerminating(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Since when the Pod is ready, in ms since the epoch; undefined when it is not, or nobody knows. */
export function readySince(pod: Pod): number | undefined {
  const ready = podCondition(pod, "Ready");
  if (ready?.status !== "True" || ready.lastTransitionTime === undefined) return undefined;
  return Date.parse(ready.lastTransitionTime);
}

/**
 * In how many ms the Pod will have been ready for `minReadySeconds`: 0 when it is available now, undefined when
 * waiting will not make it so.
 */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}
