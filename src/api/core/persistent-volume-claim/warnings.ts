import { type FieldPath, root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { classAnnotation } from "../persistent-volume/class-of.ts";
import { annotated } from "../persistent-volume/warnings.ts";
import { fractionWarnings } from "../warnings/fractions.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "./schema.ts";

export function claimWarnings(
  { metadata, spec, status }: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
): readonly string[] {
  if (old !== undefined && !deepEqual(status, old.status)) return [];
  const isOld = metadata.annotations?.[classAnnotation] !== undefined;
  const use = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [
    ...(isOld ? [annotated(classAnnotation, use)] : []),
    ...claimSpecWarnings(spec, root.child("spec")),
  ];
}

export function claimSpecWarnings(
  { resources }: PersistentVolumeClaimSpec,
  path: FieldPath,
): readonly string[] {
  const at = path.child("resources");
  return [
    ...fractionWarnings(resources.requests, ["storage"], at.child("requests")),
    ...fractionWarnings(resources.limits, ["storage"], at.child("limits")),
  ];
}
