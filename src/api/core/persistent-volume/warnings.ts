import { root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { termWarnings } from "../warnings/node-labels.ts";
import { classAnnotation } from "./class-of.ts";
import type { PersistentVolume } from "./schema.ts";

const optionsAnnotation = "volume.beta.kubernetes.io/mount-options";

/** Removed drivers, in upstream's order. Upstream spells one of them unlike the field. */
const goneDrivers = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

/** Returns warnings about the spec. Status updates get none, because their writers did not write the spec. */
export function volumeWarnings(
  { metadata, spec, status }: PersistentVolume,
  old: PersistentVolume | undefined,
): readonly string[] {
  if (old !== undefined && !deepEqual(status, old.status)) return [];
  const texts: string[] = [];
  if (metadata.annotations?.[classAnnotation] !== undefined)
    texts.push(annotated(classAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'));
  if (metadata.annotations?.[optionsAnnotation] !== undefined)
    texts.push(annotated(optionsAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead'));
  if (spec.persistentVolumeReclaimPolicy === "Recycle")
    texts.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  const terms = root.child("spec", "nodeAffinity", "required", "nodeSelectorTerms");
  for (const [i, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries())
    texts.push(...termWarnings(term, terms.index(i), false));
  for (const [field, name, fate] of goneDrivers)
    if (spec[field] !== undefined) texts.push(`spec.${name}: ${fate}`);
  return texts;
}

export function annotated(key: string, fate: string): string {
  return `${root.child("metadata", "annotations").key(key).toString()}: ${fate}`;
}
