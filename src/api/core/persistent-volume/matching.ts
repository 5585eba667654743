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

/** The use of a volume: `claim:NAMESPACE/NAME` of the claim that it is reserved to, or `class:NAME` of a free volume. */
export function useOf(volume: PersistentVolume): string {
  const { claimRef } = volume.spec;
  return claimRef === undefined ? `class:${classOf(volume)}` : `claim:${claimRef.namespace}/${claimRef.name}`;
}

/**
 * The volumes for an unbound claim, the best one first: the volume that is reserved to it, which excludes all others, or
 * those that match, the smallest first (component-helpers `FindMatchingVolume`).
 */
export function matchingVolumes(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly PersistentVolume[] {
  const request = requestOf(claim);
  const candidates = volumes.filter((volume) => couldServe(volume, claim, request));
  const reserved = candidates.find(({ spec }) => spec.claimRef !== undefined);
  if (reserved !== undefined) return [reserved];
  const selector = claim.spec.selector === undefined ? undefined : selectorOf(claim.spec.selector);
  const className = classOf(claim);
  return candidates
    .filter(
      (volume) =>
        volume.status.phase === "Available" &&
        classOf(volume) === className &&
        selector?.matches(volume.metadata.labels) !== false &&
        hasAccessModes(volume, claim),
    )
    .map((volume) => ({ volume, size: capacityOf(volume) }))
    .sort((a, b) => compareQuantities(a.size, b.size))
    .map(({ volume }) => volume);
}
