import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { desiredBefore, maxBefore, resized, withScale } from "./annotations.ts";
import { desiredReplicas, fenceposts, isRolling } from "./fenceposts.ts";
import { allOf, availableIn, byAge, isActiveSet, type Sets, sizeOf, sum } from "./replica-sets.ts";

/**
 * Reports whether the Deployment's scale changed after its ReplicaSets were last scaled. They are rescaled
 * before a rollout continues.
 */
export function wasScaled(sets: Sets, deployment: Deployment): boolean {
  return allOf(sets)
    .filter(isActiveSet)
    .some((one) => (desiredBefore(one) ?? desiredReplicas(deployment)) !== desiredReplicas(deployment));
}

/**
 * Brings the ReplicaSets to the Deployment's scale without rolling anything out. During a rolling update each
 * gets its proportional share, so that a bad template does not take over.
 */
export function scaleSets(sets: Sets, deployment: Deployment): Sets {
  const only = onlyActiveOrLatest(sets);
  if (only !== undefined) {
    return change(sets, (one) =>
      // The annotations are updated even when the size is right: otherwise `wasScaled` would stay true.
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

/**
 * Returns the only ReplicaSet with Pods; with none, the current one, else the newest. Undefined when several
 * have Pods.
 */
function onlyActiveOrLatest(sets: Sets): ReplicaSet | undefined {
  const active = allOf(sets).filter(isActiveSet);
  if (active.length > 1) return undefined;
  return active[0] ?? sets.current ?? sets.old.toSorted(byAge).at(-1);
}

/**
 * Reports whether the current ReplicaSet's spec, annotation and status all show the Deployment's desired
 * replicas.
 */
function isSaturated(current: ReplicaSet | undefined, deployment: Deployment): boolean {
  const desired = desiredReplicas(deployment);
  return (
    current !== undefined &&
    sizeOf(current) === desired &&
    desiredBefore(current) === desired &&
    availableIn(current) === desired
  );
}

/**
 * Distributes the added or removed Pods in proportion to size. The largest ReplicaSet comes first and takes
 * the rounding remainder.
 */
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

/** Returns the change in size that keeps the ReplicaSet's share of all Pods. */
export function shareOf(replicaSet: ReplicaSet, deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  const size = sizeOf(replicaSet);
  if (desired === 0) return -size;
  const before = maxBefore(replicaSet) || (deployment.status.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (desired + fenceposts(deployment).surge)) / before) - size;
}
