import { present } from "../../../util/present.ts";
import type { StorageClass } from "../../storage/storage-class/schema.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import type { PersistentVolume } from "./schema.ts";

/** The binding of volumes and claims to each other (component-helpers `storage/volume/pv_helpers.go`). */

/** A claim with this annotation has been bound before: without its volume it is lost. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";

/** On a volume or a claim: the cluster, not its author, has chosen the other side. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The node that the scheduler has chosen for the volume to be provisioned. */
export const selectedNode = "volume.kubernetes.io/selected-node";

export function hasAnnotation({ metadata }: PersistentVolume | PersistentVolumeClaim, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}

/** The provisioner of classes whose volumes nobody provisions. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** Reports whether the claim's binding is complete. */
export function isFullyBound(claim: PersistentVolumeClaim): boolean {
  return (claim.spec.volumeName ?? "") !== "" && hasAnnotation(claim, bindCompleted);
}

/** Reports whether the volume is bound or reserved to the claim. A reservation may lack the claim's UID. */
export function isBoundTo(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (claimRef === undefined) return false;
  if (claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return (claimRef.uid ?? "") === "" || claimRef.uid === metadata.uid;
}

/** Reports whether the first Pod that uses the claims of a class decides where their volumes are. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

/** The volume with the claim in its `claimRef`; the same object when nothing changes. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { metadata, spec } = volume;
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const isReserved = isBoundTo(volume, claim);
  if (isReserved && spec.claimRef?.uid === uid) return volume;
  const marked = { ...metadata, annotations: { ...metadata.annotations, [boundByController]: "yes" } };
  const isMarked = isReserved || hasAnnotation(volume, boundByController);
  const kind = "PersistentVolumeClaim";
  const claimRef = present({ apiVersion: "v1", kind, namespace, name, uid, resourceVersion });
  return { ...volume, metadata: isMarked ? metadata : marked, spec: { ...spec, claimRef } };
}
