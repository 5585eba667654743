import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { labelProblems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import {
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
} from "../../../meta/validation/labels.ts";
import { report, validateKnown, validateSubdomain } from "../../../meta/validation/report.ts";
import type { ObjectMeta } from "../../../meta/v1.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { classAnnotation } from "../persistent-volume/class-of.ts";
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
} from "./schema.ts";
import { validatePositiveAmount } from "../validation/resources.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"] as const;
export const volumeModes = ["Block", "Filesystem"] as const;

export function* validateAccessModes(modes: readonly string[], path: FieldPath): Generator<FieldError> {
  for (const mode of modes) {
    if (!accessModes.some((one) => one === mode)) yield notSupported(path, mode, accessModes);
  }
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) {
    yield forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

export function* validateClaimSpec(spec: PersistentVolumeClaimSpec, path: FieldPath): Generator<FieldError> {
  const { accessModes: modes = [], storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (modes.length === 0) {
    yield requiredValue(path.child("accessModes"), "at least 1 access mode is required");
  }
  yield* validateLabelSelector(spec.selector, path.child("selector"));
  yield* validateAccessModes(modes, path.child("accessModes"));
  const size = spec.resources.requests?.["storage"];
  const sizePath = path.child("resources").key("storage");
  if (size === undefined) yield requiredValue(sizePath);
  else yield* validatePositiveAmount(size, sizePath);
  if (storageClassName !== undefined && storageClassName !== "") {
    yield* validateSubdomain(storageClassName, path.child("storageClassName"));
  }
  yield* validateKnown(volumeMode, volumeModes, path.child("volumeMode"));
  yield* validateDataSources(spec, path);
  if (volumeAttributesClassName !== undefined && volumeAttributesClassName !== "") {
    yield* validateSubdomain(volumeAttributesClassName, path.child("volumeAttributesClassName"));
  }
}

interface Source {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

function* validateDataSources(spec: PersistentVolumeClaimSpec, path: FieldPath): Generator<FieldError> {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) yield* validateSource(dataSource, path.child("dataSource"));
  if (dataSourceRef === undefined) return;
  const place = path.child("dataSourceRef");
  const { namespace = "", apiGroup, kind, name } = dataSourceRef;
  yield* validateSource(dataSourceRef, place);
  if (namespace !== "") yield* report(place.child("namespace"), namespace, labelProblems(namespace));
  if (dataSource === undefined) return;
  const shown = path.child("dataSource").toString();
  if (namespace !== "") {
    yield invalid(path, shown, "may not be specified when dataSourceRef.namespace is specified");
  } else if (!deepEqual(dataSource, { apiGroup, kind, name })) {
    yield invalid(path, shown, "must match dataSourceRef");
  }
}

function* validateSource({ apiGroup = "", kind, name }: Source, path: FieldPath): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"));
  if (kind === "") yield requiredValue(path.child("kind"));
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    yield invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup !== "") yield* report(path.child("apiGroup"), apiGroup, subdomainProblems(apiGroup));
}

export function* validateClaimTemplate(
  { metadata, spec }: PersistentVolumeClaimTemplate,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateTemplateMetadata(metadata, path.child("metadata"));
  yield* validateClaimSpec(spec, path.child("spec"));
}

/** Only permits labels and annotations in the metadata of a claim template. */
export function* validateTemplateMetadata(
  { labels, annotations, ...others }: ObjectMeta,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateAnnotations(annotations, path.child("annotations"));
  yield* validateLabels(labels, path.child("labels"));
  for (const [name, value] of Object.entries(others)) {
    // Upstream derives the path from the Go name of the field, UID.
    if (value !== undefined) yield forbidden(path.child(name === "uid" ? "uID" : name), "cannot be set");
  }
}

/** Permits a larger size, another VolumeAttributesClass, and values for fields that were unset. */
export function* validateClaimUpdate(
  { metadata, spec, status }: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): Generator<FieldError> {
  const path = root.child("spec");
  const bound = status.phase === "Bound";
  const [annotated, before] = [metadata, old.metadata].map((one) => one.annotations?.[classAnnotation]);
  const movedToField =
    before !== undefined && old.spec.storageClassName === undefined && spec.storageClassName === before;
  if (annotated !== before && !movedToField) {
    const place = root.child("metadata", "annotations", classAnnotation);
    yield invalid(place, annotated ?? "", "field is immutable");
  }
  const filledIn =
    old.spec.storageClassName === undefined && (before ?? spec.storageClassName) === spec.storageClassName;
  const same = {
    ...spec,
    volumeName: old.spec.volumeName ?? spec.volumeName,
    storageClassName: filledIn ? undefined : spec.storageClassName,
    ...(bound && {
      resources: withSize(spec.resources, old.spec.resources.requests?.["storage"]),
      volumeAttributesClassName: old.spec.volumeAttributesClassName,
    }),
  };
  if (!deepEqual(same, { ...old.spec, volumeName: old.spec.volumeName ?? spec.volumeName })) {
    yield forbidden(
      path,
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
    );
  }
  yield* validateSizeUpdate(spec, old, path.child("resources", "requests", "storage"));
  yield* validateImmutable(spec.volumeMode, old.spec.volumeMode, root.child("volumeMode"));
}

function withSize(resources: PersistentVolumeClaimSpec["resources"], storage: string | undefined) {
  return { ...resources, requests: { ...resources.requests, storage } };
}

/** Permits a smaller request after a failed expansion, but not below the capacity. */
function* validateSizeUpdate(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaim,
  path: FieldPath,
): Generator<FieldError> {
  const [now, before, actual] = [
    spec.resources.requests,
    old.spec.resources.requests,
    old.status.capacity,
  ].map((list) => parseQuantity(list?.["storage"] ?? "0"));
  if (now === undefined || before === undefined || actual === undefined) return;
  if (compareQuantities(now, before) < 0 && compareQuantities(now, actual) <= 0) {
    yield forbidden(path, "field can not be less than status.capacity");
  }
}
