import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import { attributesClassProtection } from "../../api/core/persistent-volume/protection.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import type { VolumeAttributesClass } from "../../api/storage/volume-attributes-class/schema.ts";
import { isDeletionCandidate, lacksFinalizer, withFinalizer, withoutFinalizer } from "../finalizers.ts";

/** The class as it is to be written; undefined when nothing changes. A class in use keeps its finalizer. */
export function plan(one: VolumeAttributesClass, isUsed: boolean): VolumeAttributesClass | undefined {
  if (isDeletionCandidate(one, attributesClassProtection) && !isUsed) {
    return withoutFinalizer(one, attributesClassProtection);
  }
  return lacksFinalizer(one, attributesClassProtection)
    ? withFinalizer(one, attributesClassProtection)
    : undefined;
}

/** The classes that a claim wants, has, or is being changed to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status;
  const target = modifyVolumeStatus?.targetVolumeAttributesClassName;
  return [...new Set([spec.volumeAttributesClassName, current, target])].filter(isName);
}

export function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return [spec.volumeAttributesClassName].filter(isName);
}

const isName = (name: string | undefined): name is string => name !== undefined && name !== "";
