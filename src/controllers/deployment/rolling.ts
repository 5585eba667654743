import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { resized } from "./annotations.ts";
import { desiredReplicas, fenceposts, isRolling } from "./fenceposts.ts";
import { availableIn, isActiveSet, type Sets, sizeOf, sum } from "./replica-sets.ts";

/**
 * Plans one step of a rolling update: the current ReplicaSet grows as far as the surge allows; when it cannot
 * grow, the old ones shrink as far as `maxUnavailable` allows.
 */
export function rollingStep(sets: Sets & { readonly current: ReplicaSet }, deployment: Deployment): Sets {
  const current = resized(sets.current, currentSize(sets.current, sets.old, deployment), deployment);
  if (current !== sets.current) return { ...sets, current };
  return { current, old: shrinkOld(sets.old, current, deployment) };
}

/** Returns the greatest size that the surge allows the current ReplicaSet. */
export function currentSize(current: ReplicaSet, old: readonly ReplicaSet[], deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  const size = sizeOf(current);
  if (!isRolling(deployment) || size >= desired) return desired;
  const room = desired + fenceposts(deployment).surge - (sum(old, sizeOf) + size);
  return size + Math.max(0, Math.min(room, desired - size));
}

function shrinkOld(
  old: readonly ReplicaSet[],
  current: ReplicaSet,
  deployment: Deployment,
): readonly ReplicaSet[] {
  const minAvailable = desiredReplicas(deployment) - fenceposts(deployment).unavailable;
  // Old Pods must replace every Pod of the current ReplicaSet that is not available yet.
  const most = sum(old, sizeOf) + surelyAvailable(current) - minAvailable;
  if (!old.some(isActiveSet) || most <= 0) return old;
  // Unavailable Pods are removed first: they block the rollout, and without them no fewer are available.
  const healthy = shrink(old, most, (one) => sizeOf(one) - surelyAvailable(one), deployment);
  const spare = sum(healthy, surelyAvailable) + surelyAvailable(current) - minAvailable;
  return shrink(healthy, spare, sizeOf, deployment);
}

/**
 * Returns the available Pods that the present size is sure to keep: a status from before the last scaling may
 * count more.
 */
function surelyAvailable(replicaSet: ReplicaSet): number {
  return Math.min(sizeOf(replicaSet), availableIn(replicaSet));
}

/** Removes up to `most` Pods from the oldest ReplicaSet first, and from each at most `removable`. */
function shrink(
  old: readonly ReplicaSet[],
  most: number,
  removable: (replicaSet: ReplicaSet) => number,
  deployment: Deployment,
): readonly ReplicaSet[] {
  let left = most;
  return old.map((one) => {
    const taken = Math.max(0, Math.min(left, sizeOf(one), removable(one)));
    left -= taken;
    return resized(one, sizeOf(one) - taken, deployment);
  });
}
