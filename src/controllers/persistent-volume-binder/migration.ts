import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import {
  betaStorageProvisioner,
  driverInsteadOf,
  migratedTo,
  provisionedBy,
  storageProvisioner,
} from "../../api/core/persistent-volume/provisioners.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { annotated, unannotated } from "./outcome.ts";

/** The claim with the driver that replaces its in-tree provisioner; the same object when nothing changes. */
export function migratedClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { annotations = {} } = claim.metadata;
  return migrated(claim, annotations[storageProvisioner] ?? annotations[betaStorageProvisioner]);
}

/** The volume with the driver that replaces its in-tree provisioner; the same object when nothing changes. */
export function migratedVolume(volume: PersistentVolume): PersistentVolume {
  return migrated(volume, volume.metadata.annotations?.[provisionedBy]);
}

function migrated<O extends PersistentVolume | PersistentVolumeClaim>(
  object: O,
  provisioner: string | undefined,
): O {
  if (provisioner === undefined) return object;
  const driver = driverInsteadOf(provisioner);
  const present = object.metadata.annotations?.[migratedTo];
  if (driver === present) return object;
  return driver === undefined ? unannotated(object, migratedTo) : annotated(object, { [migratedTo]: driver });
}
