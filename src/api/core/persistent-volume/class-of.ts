import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import type { PersistentVolume } from "./schema.ts";

export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The name of the StorageClass; empty for none. The annotation takes precedence over the field. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
}

/** Reports whether the claim names a StorageClass, even the empty one, which asks for volumes without a class. */
export function namesClass({
  metadata,
  spec,
}: Pick<PersistentVolumeClaim, "metadata"> & {
  readonly spec: { readonly storageClassName?: string | undefined };
}): boolean {
  return metadata.annotations?.[classAnnotation] !== undefined || spec.storageClassName !== undefined;
}
