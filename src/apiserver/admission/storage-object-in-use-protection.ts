import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import {
  attributesClassProtection,
  claimProtection,
  volumeProtection,
} from "../../api/core/persistent-volume/protection.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { volumeAttributesClasses } from "../../api/storage/volume-attributes-class/schema.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/**
 * Gives new volumes, claims and VolumeAttributesClasses the finalizers that keep them while they are in use (plugin
 * `storage/storageobjectinuseprotection`).
 */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  mutate(attributes) {
    if (attributes.operation !== "CREATE") return;
    protect(about(persistentVolumes, attributes)?.object, volumeProtection);
    protect(about(persistentVolumeClaims, attributes)?.object, claimProtection);
    protect(about(volumeAttributesClasses, attributes)?.object, attributesClassProtection);
  },
};

function protect(
  object: { readonly metadata: { finalizers?: string[] } } | undefined,
  finalizer: string,
): void {
  if (object === undefined || object.metadata.finalizers?.includes(finalizer) === true) return;
  (object.metadata.finalizers ??= []).push(finalizer);
}
