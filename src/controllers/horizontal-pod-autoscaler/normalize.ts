import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { changedWithin, type Memory, type Recommendation } from "./memory.ts";

/** Upstream's default of `--horizontal-pod-autoscaler-downscale-stabilization`. */
const downStabilizationMs = 300_000;

export interface Wish {
  /** The replicas in the scale's spec. */
  readonly current: number;
  /** The replicas that the metrics ask for. */
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly memory: Memory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Explained {
  readonly reason: string;
  readonly message: string;
}

interface Stabilized extends Explained {
  readonly replicas: number;
  /** The recommendations with the newest one; those outside of the windows are dropped. */
  readonly recommendations: readonly Recommendation[];
}

interface Limited extends Explained {
  readonly replicas: number;
}

export interface Normalized {
  readonly replicas: number;
  /** The condition AbleToScale, which is True. */
  readonly able: Explained;
  /** The condition ScalingLimited. */
  readonly limited: Explained & { readonly status: "True" | "False" };
  readonly recommendations: readonly Recommendation[];
}

/**
 * Stabilizes the replicas that the metrics ask for by those that they asked for before, and limits the change
 * (upstream `normalizeDesiredReplicas`, `normalizeDesiredReplicasWithBehaviors`).
 */
export function normalize(wish: Wish): Normalized {
  const { behavior } = wish;
  const stable = behavior === undefined ? stabilizeDown(wish) : stabilize(wish, behavior);
  const settled = { ...wish, desired: stable.replicas };
  const { replicas, reason, message } =
    behavior === undefined ? limit(settled) : limitByRate(settled, behavior);
  const able =
    stable.replicas === wish.desired
      ? { reason: "ReadyForNewScale", message: "recommended size matches current size" }
      : { reason: stable.reason, message: stable.message };
  return {
    replicas,
    able,
    limited: { status: replicas === stable.replicas ? "False" : "True", reason, message },
    recommendations: stable.recommendations,
  };
}

const scaleUpStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const scaleDownStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};

function stabilizeDown({ desired, memory, now }: Wish): Stabilized {
  const recent = memory.recommendations.filter(({ at }) => at >= now - downStabilizationMs);
  const replicas = recent.reduce((most, one) => Math.max(most, one.replicas), desired);
  return { replicas, ...scaleDownStabilized, recommendations: [...recent, { replicas: desired, at: now }] };
}

/**
 * The replicas within the lowest recommendation of the scale-up window and the highest of the scale-down window
 * (upstream `stabilizeRecommendationWithBehaviors`).
 */
function stabilize(
  { current, desired, memory, now }: Wish,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
): Stabilized {
  const upSince = now - windowMs(scaleUp, 0);
  const downSince = now - windowMs(scaleDown, downStabilizationMs);
  let lowest = desired;
  let highest = desired;
  for (const { replicas, at } of memory.recommendations) {
    if (at > upSince) lowest = Math.min(lowest, replicas);
    if (at > downSince) highest = Math.max(highest, replicas);
  }
  const kept = memory.recommendations.filter(({ at }) => at >= Math.min(upSince, downSince));
  return {
    replicas: Math.min(Math.max(current, lowest), highest),
    ...(desired >= current ? scaleUpStabilized : scaleDownStabilized),
    recommendations: [...kept, { replicas: desired, at: now }],
  };
}

function windowMs(rules: HPAScalingRules | undefined, fallbackMs: number): number {
  const seconds = rules?.stabilizationWindowSeconds;
  return seconds === undefined ? fallbackMs : seconds * 1000;
}

const isWithinRange = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFastUp = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** At most twice as many replicas, or 4 (upstream `convertDesiredReplicasWithRules`). */
export function limit({ current, desired, min, max }: Omit<Wish, "behavior" | "memory" | "now">): Limited {
  const upLimit = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, ...tooFew };
  if (desired > Math.min(max, upLimit))
    return max > upLimit ? { replicas: upLimit, ...tooFastUp } : { replicas: max, ...tooMany };
  return { replicas: desired, ...isWithinRange };
}

/** The limits by the policies of the behavior (upstream `convertDesiredReplicasWithBehaviorRate`). */
export function limitByRate(wish: Wish, { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): Limited {
  const { current, desired, min, max } = wish;
  if (desired > current) {
    // After many changes, the policies may allow less than the present number.
    const upLimit = Math.max(current, rateLimit(wish, scaleUp, 1));
    if (desired > Math.min(max, upLimit))
      return max > upLimit ? { replicas: upLimit, ...tooFastUp } : { replicas: max, ...tooMany };
  }
  if (desired < current) {
    const downLimit = Math.min(current, rateLimit(wish, scaleDown, -1));
    if (desired < Math.max(min, downLimit))
      return min < downLimit ? { replicas: downLimit, ...tooFastDown } : { replicas: min, ...tooFew };
  }
  return { replicas: desired, ...isWithinRange };
}

/** The number of replicas that the policies of a direction allow: 1 is up, -1 is down. */
function rateLimit(
  { current, memory, now }: Wish,
  { selectPolicy, policies = [] }: HPAScalingRules = {},
  direction: 1 | -1,
): number {
  if (selectPolicy === "Disabled") return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const added = changedWithin(memory.ups, periodSeconds, now);
    const removed = changedWithin(memory.downs, periodSeconds, now);
    const start = current - added + removed;
    if (type === "Pods") return start + direction * value;
    const percent = start * (1 + (direction * value) / 100);
    // Rounds for more change, because a small percentage would otherwise never change anything.
    return direction === 1 ? Math.ceil(percent) : Math.trunc(percent);
  });
  const isLargest = (selectPolicy === "Min") === (direction === -1);
  const choose = isLargest ? Math.max : Math.min;
  return limits.reduce((chosen, one) => choose(chosen, one), isLargest ? -Infinity : Infinity);
}
