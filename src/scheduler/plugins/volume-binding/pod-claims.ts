import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../../api/core/persistent-volume-claim/schema.ts";
import { isFullyBound, selectedNode, waitsForConsumer } from "../../../api/core/persistent-volume/binding.ts";
import { classOf } from "../../../api/core/persistent-volume/class-of.ts";
import { matchingVolumes } from "../../../api/core/persistent-volume/matching.ts";
import type { PersistentVolume } from "../../../api/core/persistent-volume/schema.ts";
import { notMadeFor } from "../../../api/core/pod/claims.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import type { CSIStorageCapacity } from "../../../api/storage/csi-storage-capacity/schema.ts";
import type { StorageClass } from "../../../api/storage/storage-class/schema.ts";
import { notFound, type UsedClaim } from "../../claims.ts";
import { rejected, type Rejection } from "../../framework.ts";
import type { ListNumbers } from "../../list-numbers.ts";
import { ReachableVolumes } from "./reachable-volumes.ts";
import type { Storage } from "./storage.ts";

/** A claim that is bound or provisioned for its first consumer, with all that a node's answer depends on. */
export interface DelayedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** The node that was selected in an earlier attempt, which only the provisioner gives up. */
  readonly selectedNode: string | undefined;
  /** The volumes that match, the best one first. */
  readonly matching: ReachableVolumes;
  /** Undefined when the space is not checked. */
  readonly capacities: readonly CSIStorageCapacity[] | undefined;
}

/** The claims of a Pod that may be scheduled. */
export interface PodClaims {
  /** The volumes of bound claims; undefined for one that does not exist. */
  readonly bound: readonly (PersistentVolume | undefined)[];
  readonly delayed: readonly DelayedClaim[];
}

/** The claims of a Pod, or the reason why it has to wait for them; undefined for a Pod without claims. */
export function podClaims(
  pod: Pod,
  used: readonly UsedClaim[],
  storage: Storage,
): PodClaims | Rejection | undefined {
  if (used.length === 0) return undefined;
  const bound: (PersistentVolume | undefined)[] = [];
  const delayed: DelayedClaim[] = [];
  let isWaiting = false;
  for (const one of used) {
    const reason = obstacle(pod, one);
    if (reason !== undefined) return rejected(reason);
    if (one.claim === undefined) continue;
    const claim = storage.claims.of(one.claim);
    const { volumeName = "" } = claim.spec;
    if (isFullyBound(claim)) bound.push(storage.volume(volumeName));
    else {
      const storageClass = storage.storageClass(classOf(claim));
      if (storageClass === undefined || !waitsForConsumer(storageClass) || volumeName !== "")
        isWaiting = true;
      else delayed.push(delayedClaim(claim, storageClass, storage));
    }
  }
  return isWaiting ? rejected("pod has unbound immediate PersistentVolumeClaims") : { bound, delayed };
}

/** The reason why no node can run the Pod because of this claim. */
function obstacle(pod: Pod, { name, isEphemeral, claim }: UsedClaim): string | undefined {
  if (claim === undefined) {
    if (!isEphemeral) return notFound(persistentVolumeClaims, name);
    return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
  }
  if (claim.status.phase === "Lost")
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ""}"`;
  if (claim.metadata.deletionTimestamp !== undefined)
    return `persistentvolumeclaim "${name}" is being deleted`;
  return isEphemeral ? notMadeFor(pod, claim) : undefined;
}

function delayedClaim(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  storage: Storage,
): DelayedClaim {
  const volumes = [...storage.reservedVolumes(claim), ...storage.freeVolumes(classOf(claim))];
  return {
    claim,
    storageClass,
    selectedNode: claim.metadata.annotations?.[selectedNode],
    matching: new ReachableVolumes(matchingVolumes(claim, volumes)),
    capacities: storage.capacities(storageClass),
  };
}

/** All that the answers for the claims depend on: equal for the Pods of a StatefulSet, as long as their claims are alike. */
export function keyOfClaims({ bound, delayed }: PodClaims, numbers: ListNumbers): string {
  return JSON.stringify([
    bound.map((volume) => (volume === undefined ? "missing" : volume.spec.nodeAffinity)),
    delayed.map(({ claim, storageClass, selectedNode: node, matching, capacities }) => {
      const { provisioner, allowedTopologies, metadata } = storageClass;
      const { resources, accessModes, selector, volumeMode, volumeAttributesClassName } = claim.spec;
      const wanted = [resources.requests, accessModes, selector, volumeMode, volumeAttributesClassName];
      const list = JSON.stringify([metadata.name, wanted]);
      // A reserved volume is the claim's own; it needs no number.
      const isReserved = matching.all[0]?.spec.claimRef !== undefined;
      const volumes = isReserved
        ? (matching.all[0]?.spec.nodeAffinity ?? "everywhere")
        : numbers.of(list, matching.all);
      const space =
        capacities === undefined ? undefined : numbers.of(`space of ${metadata.name}`, capacities);
      return [wanted, node, provisioner, allowedTopologies, volumes, space];
    }),
  ]);
}
