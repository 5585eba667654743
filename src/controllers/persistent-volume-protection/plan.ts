import { volumeProtection } from "../../api/core/persistent-volume/protection.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { isDeletionCandidate, lacksFinalizer, withFinalizer, withoutFinalizer } from "../finalizers.ts";

/** The volume as it is to be written; undefined when nothing changes. A bound volume keeps its finalizer. */
export function plan(volume: PersistentVolume): PersistentVolume | undefined {
  if (isDeletionCandidate(volume, volumeProtection) && volume.status.phase !== "Bound")
    return withoutFinalizer(volume, volumeProtection);
  return lacksFinalizer(volume, volumeProtection) ? withFinalizer(volume, volumeProtection) : undefined;
}
