import { posix } from "node:path";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { parseQuantity, quantityValue } from "../../../meta/quantity.ts";
import { immutableMessage, validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateKnown, validateOneOf, validateSubdomain } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import {
  PersistentVolumeSource,
  type PersistentVolume,
  type PersistentVolumeSpec,
  type VolumeNodeAffinity,
} from "./schema.ts";
import { validateNodeSelector } from "../pod/validation/affinity.ts";
import { validateAccessModes, volumeModes } from "../persistent-volume-claim/validation.ts";
import { persistentVolumeRules } from "./validation-sources.ts";
import { validateSources } from "../volume/validation/sources.ts";
import { table } from "../../../util/table.ts";

const path = root.child("spec");
// Safe: the keys of a message's fields are the keys of its type.
const sourceNames = [...PersistentVolumeSource.fields.keys()] as readonly (keyof PersistentVolumeSource)[];

/** The source fields that are set. */
const sourcesOf = (spec: PersistentVolumeSpec) => sourceNames.filter((name) => spec[name] !== undefined);

export function* validatePersistentVolume({ metadata, spec }: PersistentVolume): Generator<FieldError> {
  const { accessModes = [], capacity = {} } = spec;
  if (accessModes.length === 0) yield requiredValue(path.child("accessModes"));
  yield* validateAccessModes(accessModes, path.child("accessModes"));
  yield* validateCapacity(capacity, path.child("capacity"));
  const { persistentVolumeReclaimPolicy: reclaim, storageClassName, volumeMode } = spec;
  if (reclaim !== undefined) {
    const policies = ["Delete", "Recycle", "Retain"];
    yield* validateOneOf(reclaim, policies, path.child("persistentVolumeReclaimPolicy"));
  }
  const required = spec.nodeAffinity?.required;
  if (required !== undefined) {
    yield* validateNodeSelector(required, path.child("nodeAffinity", "required"));
  } else if (spec.nodeAffinity !== undefined) {
    yield requiredValue(path.child("nodeAffinity", "required"), "must specify required node constraints");
  }
  yield* validateSource(metadata.name ?? "", spec, path);
  if (storageClassName !== undefined)
    yield* validateSubdomain(storageClassName, path.child("storageClassName"));
  yield* validateKnown(volumeMode, volumeModes, path.child("volumeMode"));
  yield* validateAttributesClass(spec);
}

function* validateCapacity(
  capacity: Readonly<Record<string, string>>,
  place: FieldPath,
): Generator<FieldError> {
  const names = Object.keys(capacity);
  if (names.length === 0) yield requiredValue(place);
  if (!names.includes("storage") || names.length > 1) {
    yield notSupported(place, names.length === 0 ? null : capacity, ["storage"]);
  }
  for (const [name, amount] of Object.entries(capacity)) {
    const quantity = parseQuantity(amount);
    const value = quantityValue(quantity);
    if (value < 0) yield invalid(place.key(name), value, "must be a valid resource quantity");
    if (quantity.nanos <= 0n) {
      yield invalid(place.key(name), amount, "must be greater than zero");
    }
  }
}

function* validateSource(name: string, spec: PersistentVolumeSpec, place: FieldPath): Generator<FieldError> {
  yield* validateSources(spec, persistentVolumeRules, { name, spec, path: place }, place);
  if (
    posix.normalize(spec.hostPath?.path ?? "") === "/" &&
    spec.persistentVolumeReclaimPolicy === "Recycle"
  ) {
    yield forbidden(
      place.child("persistentVolumeReclaimPolicy"),
      "may not be 'recycle' for a hostPath mount of '/'",
    );
  }
}

/** Validates an inline volume, which has no claim and needs a CSI driver. */
export function* validateInlineVolume(spec: PersistentVolumeSpec, place: FieldPath): Generator<FieldError> {
  const context = "in the context of inline volumes";
  const {
    accessModes = [],
    persistentVolumeReclaimPolicy: reclaim = "Retain",
    volumeMode = "Filesystem",
  } = spec;
  for (const name of ["claimRef", "capacity"] as const) {
    if (spec[name] !== undefined) yield forbidden(place.child(name), `may not be specified ${context}`);
  }
  if (spec.csi === undefined) yield requiredValue(place.child("csi"), `has to be specified ${context}`);
  if (accessModes.length === 0) yield requiredValue(place.child("accessModes"));
  yield* validateAccessModes(accessModes, place.child("accessModes"));
  if (reclaim !== "Retain") {
    yield forbidden(place.child("persistentVolumeReclaimPolicy"), `may only be Retain ${context}`);
  }
  if (spec.nodeAffinity !== undefined) {
    yield forbidden(place.child("nodeAffinity"), `may not be specified ${context}`);
  }
  yield* validateSource("", spec, place);
  if (spec.storageClassName !== undefined) {
    yield forbidden(place.child("storageClassName"), `may not be specified ${context}`);
  }
  if (volumeMode !== "Filesystem") {
    yield forbidden(place.child("volumeMode"), `may not specify volumeMode other than Filesystem ${context}`);
  }
}

function* validateAttributesClass({
  volumeAttributesClassName: name,
  csi,
}: PersistentVolumeSpec): Generator<FieldError> {
  if (name === undefined) return;
  const place = path.child("volumeAttributesClassName");
  if (name === "") yield requiredValue(place, "an empty string is disallowed");
  else yield* validateSubdomain(name, place);
  if (csi === undefined) {
    yield requiredValue(path.child("csi"), "has to be specified when using volumeAttributesClassName");
  }
}

/** Forbids changes of the source, except for adding a Secret for expansion. */
export function* validatePersistentVolumeUpdate(
  { spec }: PersistentVolume,
  { spec: old }: PersistentVolume,
): Generator<FieldError> {
  const source = (of: PersistentVolumeSpec) => sourcesOf(of).map((name) => [name, of[name]] as const);
  const added = old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined;
  const now = source(spec).map(([name, value]) =>
    name === "csi" && added ? [name, { ...value, controllerExpandSecretRef: undefined }] : [name, value],
  );
  if (!deepEqual(now, source(old))) {
    yield forbidden(
      path.child("persistentvolumesource"),
      "spec.persistentvolumesource is immutable after creation\n",
    );
  }
  yield* validateImmutable(spec.volumeMode, old.volumeMode, root.child("volumeMode"));
  const { nodeAffinity } = spec;
  if (
    old.nodeAffinity !== undefined &&
    !deepEqual(nodeAffinity, relabelled(old.nodeAffinity, nodeAffinity))
  ) {
    yield invalid(
      root.child("nodeAffinity"),
      nodeAffinity,
      `${immutableMessage}, except for updating from beta label to GA`,
    );
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    yield forbidden(path.child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden");
  }
}

/** Beta labels and their stable names. */
const stableLabels: Readonly<Record<string, string | undefined>> = table({
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
});

/** The old affinity, with beta labels renamed where the new affinity has their stable names. */
function relabelled(old: VolumeNodeAffinity, now: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
  if (old.required === undefined) return old;
  const nodeSelectorTerms = old.required.nodeSelectorTerms.map((term, i) => {
    const matchExpressions = term.matchExpressions?.map((one, j) => {
      const key = now?.required?.nodeSelectorTerms[i]?.matchExpressions?.[j]?.key;
      return key !== undefined && stableLabels[one.key] === key ? { ...one, key } : one;
    });
    return matchExpressions === undefined ? term : { ...term, matchExpressions };
  });
  return { ...old, required: { ...old.required, nodeSelectorTerms } };
}
