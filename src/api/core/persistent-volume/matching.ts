import { selectorOf } from "../../../meta/labels.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../../meta/quantity.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import { isBoundTo } from "./binding.ts";
import { classOf } from "./class-of.ts";
import type { PersistentVolume } from "./schema.ts";

export function capacityOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(spec.capacity?.["storage"] ?? "0");
}

export function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  return parseQuantity(spec.resources.requests?.["storage"] ?? "0");
}

export function hasOtherMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec.volumeMode ?? "Filesystem") !== (claim.spec.volumeMode ?? "Filesystem");
}

export function hasOtherAttributesClass(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec.volumeAttributesClassName ?? "") !== (claim.spec.volumeAttributesClassName ?? "");
}

/** Reports whether the volume has all access modes that the claim asks for. */
export function hasAccessModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true);
}

/** The conditions that even a volume reserved to the claim must fulfil. */
function couldServe(volume: PersistentVolume, claim: PersistentVolumeClaim, request: Quantity): boolean {
  return (
    (volume.spec.claimRef === undefined || isBoundTo(volume, claim)) &&
    compareQuantities(capacityOf(volume), request) >= 0 &&
    !hasOtherMode(volume, claim) &&
    !hasOtherAttributesClass(volume, claim) &&
    volume.metadata.deletionTimestamp === undefined
  );
}

/**
 * The volume for an unbound claim: one that is reserved to it, else the smallest one that matches; of equal ones, the
 * first. `isReachable` leaves out volumes; a reserved volume that is not reachable excludes all others (component-helpers
 * `FindMatchingVolume`).
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  isReachable: (volume: PersistentVolume) => boolean,
): PersistentVolume | undefined {
  const request = requestOf(claim);
  const selector = claim.spec.selector === undefined ? undefined : selectorOf(claim.spec.selector);
  const className = classOf(claim);
  let smallest: { readonly volume: PersistentVolume; readonly size: Quantity } | undefined;
  for (const volume of volumes) {
    if (!couldServe(volume, claim, request)) continue;
    if (volume.spec.claimRef !== undefined) return isReachable(volume) ? volume : undefined;
    const matches =
      volume.status.phase === "Available" &&
      classOf(volume) === className &&
      selector?.matches(volume.metadata.labels) !== false &&
      hasAccessModes(volume, claim);
    const size = capacityOf(volume);
    if (!matches || (smallest !== undefined && compareQuantities(size, smallest.size) >= 0)) continue;
    if (isReachable(volume)) smallest = { volume, size };
  }
  return smallest?.volume;
}
