import type { Pod } from "../../api/core/pod/schema.ts";
import { podCondition } from "../pods/pod-state.ts";

/** A Pod's value of one metric. */
export interface PodMetric {
  /** The value in thousandths. */
  readonly value: number;
  /** The end of the window, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly windowMs: number;
}

/** The values of one metric, by the Pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** Upstream's defaults of `--horizontal-pod-autoscaler-cpu-initialization-period` and `…-initial-readiness-delay`. */
export const cpuInitializationMs = 300_000;
export const initialReadinessMs = 30_000;

/** The periods in which the CPU usage of a Pod may be that of its start. */
export interface StartPeriods {
  readonly cpuInitializationMs: number;
  readonly initialReadinessMs: number;
}

export interface PodGroups {
  /** The number of Pods whose value counts. */
  readonly ready: number;
  /** Pods that are pending, or whose CPU usage may be that of their start. */
  readonly unready: readonly string[];
  /** Pods without a value. */
  readonly missing: readonly string[];
  /** Pods that are failed or terminating. */
  readonly ignored: readonly string[];
}

/** Groups the Pods by the use of their values (upstream `groupPods`). */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  { isCpu, now, periods }: { readonly isCpu: boolean; readonly now: number; readonly periods: StartPeriods },
): PodGroups {
  const groups = { ready: 0, unready: [] as string[], missing: [] as string[], ignored: [] as string[] };
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status.phase === "Failed") groups.ignored.push(name);
    else if (pod.status.phase === "Pending") groups.unready.push(name);
    else if (metric === undefined) groups.missing.push(name);
    else if (isCpu && isStarting(pod, metric, now, periods)) groups.unready.push(name);
    else groups.ready++;
  }
  return groups;
}

/** Reports whether a Pod's CPU usage may be that of its start. */
function isStarting(pod: Pod, metric: PodMetric, now: number, periods: StartPeriods): boolean {
  const ready = podCondition(pod, "Ready");
  if (ready === undefined || pod.status.startTime === undefined) return true;
  const startedAt = Date.parse(pod.status.startTime);
  const changedAt = Date.parse(ready.lastTransitionTime ?? "") || 0;
  const isUnready = ready.status === "False";
  // Within the period, a whole window must have passed since the last change of readiness.
  if (startedAt + periods.cpuInitializationMs > now)
    return isUnready || metric.timestamp < changedAt + metric.windowMs;
  // After the period, only a Pod that has never been ready is still starting.
  return isUnready && startedAt + periods.initialReadinessMs > changedAt;
}
