import type { StatefulSet } from "../../api/apps/stateful-set/schema.ts";
import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { ordinalOf } from "./identity.ts";
import { rangeOf } from "./plan.ts";

/** Plans the owner references of claims: returns the claims that change (upstream `updateClaimOwnerRefForSetAndPod`). */
export function planClaimOwners(
  set: StatefulSet,
  claims: readonly { readonly claim: PersistentVolumeClaim; readonly pod: Pod }[],
): readonly PersistentVolumeClaim[] {
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const { start, end } = rangeOf(set);
  return claims.flatMap(({ claim, pod }) => {
    const ordinal = ordinalOf(pod, set);
    const isCondemned = ordinal < start || ordinal >= end;
    const ownedByPod = whenScaled === "Delete" && isCondemned;
    const ownedBySet = whenDeleted === "Delete" && !ownedByPod;
    const present = claim.metadata.ownerReferences ?? [];
    const others = present.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
    // A claim that something else controls is left alone.
    if (others.some(({ controller }) => controller === true)) return [];
    const wanted: readonly OwnerReference[] = [
      ...others,
      ...(ownedBySet ? [controllerRef(set)] : []),
      ...(ownedByPod ? [controllerRef(pod)] : []),
    ];
    if (deepEqual(wanted, present)) return [];
    return [{ ...claim, metadata: { ...claim.metadata, ownerReferences: wanted } }];
  });
}
