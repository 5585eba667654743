import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";

export function podCondition({ status }: Pod, type: string): PodCondition | undefined {
  return findCondition(status.conditions, type);
}

export function isReady(pod: Pod): boolean {
  return isConditionTrue(pod.status.conditions, "Ready");
}

/** Reports whether the Pod has terminated: its containers will never run again. */
export function isTerminal({ status: { phase } }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Reports whether the Pod counts as a replica: it is neither terminated nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Reports whether the Pod is terminating and may still run. */
export function isTerminating(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/**
 * The time since which the Pod is ready, in ms since the epoch; undefined when it is not ready or has no
 * transition time.
 */
export function readySince(pod: Pod): number | undefined {
  const ready = podCondition(pod, "Ready");
  if (ready?.status !== "True" || ready.lastTransitionTime === undefined) return undefined;
  return Date.parse(ready.lastTransitionTime);
}

/**
 * Milliseconds until the Pod has been ready for `minReadySeconds`: 0 when it is available now, undefined when
 * it is not ready.
 */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}
