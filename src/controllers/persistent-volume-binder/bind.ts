import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../api/core/persistent-volume-claim/schema.ts";
import {
  bindCompleted,
  boundByController,
  boundVolume,
  hasAnnotation,
} from "../../api/core/persistent-volume/binding.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { compareQuantities, parseQuantity, QuantityError } from "../../meta/quantity.ts";
import { present } from "../../util/present.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { annotated, type Outcome, unannotated } from "./outcome.ts";

type Phase = NonNullable<PersistentVolumeClaimStatus["phase"]>;

/** The size that a claim keeps while its volume is resized for it. */
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** Binds a volume and a claim to each other. */
export function bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Outcome {
  const bound = withPhase(boundVolume(volume, claim), "Bound");
  return { volume: bound, claim: withClaimPhase(boundClaim(claim, bound), "Bound", bound) };
}

function boundClaim(claim: PersistentVolumeClaim, { metadata }: PersistentVolume): PersistentVolumeClaim {
  const isNamed = claim.spec.volumeName === metadata.name;
  const isMarked = isNamed || hasAnnotation(claim, boundByController);
  const marked = isMarked ? claim : annotated(claim, { [boundByController]: "yes" });
  const completed = hasAnnotation(claim, bindCompleted)
    ? marked
    : annotated(marked, { [bindCompleted]: "yes" });
  return isNamed ? completed : { ...completed, spec: { ...claim.spec, volumeName: metadata.name ?? "" } };
}

/** Undoes the binding of a volume. A volume that its author has reserved stays reserved. */
export function unbind(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  if (hasAnnotation(volume, boundByController))
    return withPhase({ ...unannotated(volume, boundByController), spec }, "Available");
  const { uid: _, ...reserved } = claimRef ?? {};
  return withPhase({ ...volume, spec: { ...spec, claimRef: reserved } }, "Available");
}

/** The volume in a phase, with the message that explains it; the same object when it is in that phase already. */
export function withPhase(
  volume: PersistentVolume,
  phase: NonNullable<PersistentVolume["status"]["phase"]>,
  message?: string,
): PersistentVolume {
  if (volume.status.phase === phase) return volume;
  const { message: _, ...status } = volume.status;
  return { ...volume, status: { ...status, phase, ...(message === undefined ? {} : { message }) } };
}

/** The claim in a phase, with what its volume has; without a volume, what its status says of one is removed. */
export function withClaimPhase(
  claim: PersistentVolumeClaim,
  phase: Phase,
  volume?: PersistentVolume,
): PersistentVolumeClaim {
  const status = volume === undefined ? unboundStatus(claim, phase) : boundStatus(claim, phase, volume);
  return deepEqual(status, claim.status) ? claim : { ...claim, status };
}

function unboundStatus({ status }: PersistentVolumeClaim, phase: Phase): PersistentVolumeClaimStatus {
  const { accessModes: _, capacity: __, currentVolumeAttributesClassName: ___, ...rest } = status;
  return { ...rest, phase };
}

function boundStatus(
  { status }: PersistentVolumeClaim,
  phase: Phase,
  volume: PersistentVolume,
): PersistentVolumeClaimStatus {
  const { accessModes, volumeAttributesClassName } = volume.spec;
  // The capacity of a bound claim may differ from its volume's while the file system is not resized yet.
  if (status.phase === phase) return present({ ...status, accessModes });
  const isBinding = status.phase === "Pending" && phase === "Bound";
  const current = isBinding ? volumeAttributesClassName : status.currentVolumeAttributesClassName;
  const capacity = capacityFor(status, volume);
  return present({ ...status, phase, accessModes, capacity, currentVolumeAttributesClassName: current });
}

function capacityFor(
  { capacity }: PersistentVolumeClaimStatus,
  { metadata, spec }: PersistentVolume,
): PersistentVolumeClaimStatus["capacity"] {
  const before = metadata.annotations?.[preResizeCapacity];
  const size = spec.capacity?.["storage"];
  if (before !== undefined) return { ...capacity, storage: isQuantity(before) ? before : (size ?? "0") };
  const present = capacity?.["storage"];
  const isEqual =
    present !== undefined &&
    size !== undefined &&
    compareQuantities(parseQuantity(present), parseQuantity(size)) === 0;
  return isEqual ? capacity : spec.capacity;
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
