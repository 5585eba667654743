import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";

/** A number of replicas that the metrics asked for. */
export interface Recommendation {
  readonly replicas: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A change of the number of replicas in one direction. */
export interface Change {
  /** Positive in both directions. */
  readonly by: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The past of one autoscaler. It ends with the process, as upstream. */
export interface Memory {
  /** Bounded by the stabilization windows. */
  readonly recommendations: readonly Recommendation[];
  /** Bounded by the longest period of the policies. */
  readonly ups: readonly Change[];
  readonly downs: readonly Change[];
}

/** The memory of an autoscaler that is seen for the first time: the present size is its first recommendation. */
export function firstMemory(replicas: number, now: number): Memory {
  return { recommendations: [{ replicas, at: now }], ups: [], downs: [] };
}

/** Records a change of the target (upstream `storeScaleEvent`). Without a behavior, changes are not needed. */
export function remembered(
  memory: Memory,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): Memory {
  if (behavior === undefined) return memory;
  const isUp = to > from;
  const since = now - longestPeriodMs(isUp ? behavior.scaleUp : behavior.scaleDown);
  const changes = (isUp ? memory.ups : memory.downs).filter(({ at }) => at >= since);
  const next = [...changes, { by: Math.abs(to - from), at: now }];
  return isUp ? { ...memory, ups: next } : { ...memory, downs: next };
}

function longestPeriodMs({ policies = [] }: HPAScalingRules = {}): number {
  return policies.reduce((longest, { periodSeconds }) => Math.max(longest, periodSeconds), 0) * 1000;
}

/** The replicas that the changes within a period add up to. */
export function changedWithin(changes: readonly Change[], seconds: number, now: number): number {
  return changes.reduce((sum, { by, at }) => (at > now - seconds * 1000 ? sum + by : sum), 0);
}
