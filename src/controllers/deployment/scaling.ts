import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { desiredBefore, maxBefore, resized, withScale } from "./annotations.ts";
import { desiredReplicas, fenceposts, isRolling } from "./fenceposts.ts";
import { allOf, availableIn, byAge, isActiveSet, type Sets, sizeOf, sum } from "./replica-sets.ts";

/** Whether the Deployment was scaled since its ReplicaSets were: they follow before any rollout goes on. */
export function wasScaled(sets: Sets, deployment: Deployment): boolean {
  return allOf(sets)
    .filter(isActiveSet)
    .some((one) => (desiredBefore(one) ?? desiredReplicas(deployment)) !== desiredReplicas(deployment));
}

/**
 * Brings the ReplicaSets to the Deployment's scale without rolling anything out. In the middle of a rolling update
 * each gets its share, so that a bad template does not take over.
 */
export function scaleSets(sets: Sets, deployment: Deployment): Sets {
  const only = onlyActiveOrLatest(sets);
  if (only !== undefined) {
    return change(sets, (one) =>
      // Noted also when the size is right already, or the scaling would never count as done.
      one === only ? withScale(resized(one, desiredReplicas(deployment), deployment), deployment) : one,
    );
  }
  if (isSaturated(sets.current, deployment)) {
    return { ...sets, old: sets.old.map((one) => resized(one, 0, deployment)) };
  }
  if (!isRolling(deployment)) return sets;
  const sizes = proportionalSizes(allOf(sets).filter(isActiveSet), deployment);
  return change(sets, (one) => {
    const size = sizes.get(one);
    return size === undefined ? one : withScale(resized(one, size, deployment), deployment);
  });
}

function change({ current, old }: Sets, to: (replicaSet: ReplicaSet) => ReplicaSet): Sets {
  return { current: current === undefined ? undefined : to(current), old: old.map(to) };
}

/** The one with Pods; where none has any, the present one, or else the newest. Undefined: several have. */
function onlyActiveOrLatest(sets: Sets): ReplicaSet | undefined {
  const active = allOf(sets).filter(isActiveSet);
  if (active.length > 1) return undefined;
  return active[0] ?? sets.current ?? sets.old.toSorted(byAge).at(-1);
}

/** Whether the present ReplicaSet has all the Pods that the Deployment wants, and both know it. */
function isSaturated(current: ReplicaSet | undefined, deployment: Deployment): boolean {
  const desired = desiredReplicas(deployment);
  return (
    current !== undefined &&
    sizeOf(current) === desired &&
    desiredBefore(current) === desired &&
    availableIn(current) === desired
  );
}

/** What is to be added or removed is shared out by size, the largest first, which also takes what rounding leaves. */
function proportionalSizes(
  active: readonly ReplicaSet[],
  deployment: Deployment,
): ReadonlyMap<ReplicaSet, number> {
  const desired = desiredReplicas(deployment);
  const allowed = desired === 0 ? 0 : desired + fenceposts(deployment).surge;
  const toAdd = allowed - sum(active, sizeOf);
  const sorted = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const one of sorted) {
    const share = shareOf(one, deployment);
    const part = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    const proportion = toAdd === added ? 0 : part;
    sizes.set(one, sizeOf(one) + proportion);
    added += proportion;
  }
  const [largest] = sorted;
  if (largest !== undefined)
    sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + (toAdd === 0 ? 0 : toAdd - added)));
  return sizes;
}

/** By how much the ReplicaSet would grow or shrink if it kept its part of the whole. */
function shareOf(replicaSet: ReplicaSet, deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  const size = sizeOf(replicaSet);
  if (desired === 0) return -size;
  const before = maxBefore(replicaSet) || (deployment.status.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (desired + fenceposts(deployment).surge)) / before) - size;
}
