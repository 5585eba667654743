import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { validateKnown } from "../../../../meta/validation/report.ts";
import type { VolumeDevice, VolumeMount } from "../container.ts";
import type { Volume } from "../../volume/schema.ts";
import { validateDescendingPath, validatePathNoBacksteps } from "../../validation/paths.ts";

/** The volume mounts and devices of a container. */
interface Holder {
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly securityContext?: { readonly privileged?: boolean };
}

type Volumes = ReadonlyMap<string, Volume>;

export function* validateMounts(holder: Holder, volumes: Volumes, path: FieldPath): Generator<FieldError> {
  const { volumeMounts = [], volumeDevices = [] } = holder;
  const devices = new Map(volumeDevices.map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const privileged = holder.securityContext?.privileged === true;
  const mounts = path.child("volumeMounts");
  const taken = new Set<string>();
  for (const [i, mount] of volumeMounts.entries()) {
    const place = mounts.index(i);
    const { name, mountPath } = mount;
    if (name === "") yield requiredValue(place.child("name"));
    if (!volumes.has(name)) yield notFound(place.child("name"), name);
    if (mountPath === "") yield requiredValue(place.child("mountPath"));
    if (taken.has(mountPath)) yield invalid(place.child("mountPath"), mountPath, "must be unique");
    taken.add(mountPath);
    if (devices.has(name)) {
      yield invalid(place.child("name"), name, "must not already exist in volumeDevices");
    }
    if (devicePaths.has(mountPath)) {
      yield invalid(place.child("mountPath"), mountPath, "must not already exist as a path in volumeDevices");
    }
    yield* validateMountOptions(mount, privileged, place, mounts);
  }
  yield* validateDevices(volumeDevices, volumeMounts, volumes, path.child("volumeDevices"));
}

/** Validates sub-paths and propagation. Upstream reports their errors at the list. */
function* validateMountOptions(
  mount: VolumeMount,
  privileged: boolean,
  place: FieldPath,
  mounts: FieldPath,
): Generator<FieldError> {
  const { subPath, subPathExpr, mountPropagation, recursiveReadOnly } = mount;
  if (subPath !== undefined) yield* validateDescendingPath(subPath, mounts.child("subPath"));
  if (subPathExpr !== undefined) {
    if (subPath !== undefined) {
      yield invalid(
        place.child("subPathExpr"),
        subPathExpr,
        "subPathExpr and subPath are mutually exclusive",
      );
    }
    yield* validateDescendingPath(subPathExpr, mounts.child("subPathExpr"));
  }
  if (mountPropagation !== undefined) {
    const propagation = mounts.child("mountPropagation");
    yield* validateKnown(mountPropagation, ["Bidirectional", "HostToContainer", "None"], propagation);
    if (mountPropagation === "Bidirectional" && !privileged) {
      yield forbidden(
        propagation,
        "Bidirectional mount propagation is available only to privileged containers",
      );
    }
  }
  const recursive = mounts.child("recursiveReadOnly");
  yield* validateKnown(recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"], recursive);
  if (recursiveReadOnly === "Enabled" || recursiveReadOnly === "IfPossible") {
    if (mount.readOnly !== true) yield forbidden(recursive, "may only be specified when readOnly is true");
    if (mountPropagation !== undefined && mountPropagation !== "None") {
      yield forbidden(recursive, "may only be specified when mountPropagation is None or not specified");
    }
  }
}

function* validateDevices(
  devices: readonly VolumeDevice[],
  mounts: readonly VolumeMount[],
  volumes: Volumes,
  path: FieldPath,
): Generator<FieldError> {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounted = new Set(mounts.map((mount) => mount.name));
  const mountPaths = new Set(mounts.map(({ mountPath }) => mountPath));
  for (const [i, { name, devicePath }] of devices.entries()) {
    const namePlace = path.index(i).child("name");
    const pathPlace = path.index(i).child("devicePath");
    const volume = volumes.get(name);
    if (name === "") yield requiredValue(namePlace);
    if (names.has(name)) yield invalid(namePlace, name, "must be unique");
    if (volume === undefined) yield notFound(namePlace, name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      yield invalid(
        namePlace,
        name,
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
      );
    }
    if (devicePath === "") yield requiredValue(pathPlace);
    if (paths.has(devicePath)) yield invalid(pathPlace, devicePath, "must be unique");
    if ([...validatePathNoBacksteps(devicePath, pathPlace)].length > 0) {
      yield invalid(pathPlace, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mounted.has(name)) {
      yield invalid(namePlace, name, "must not already exist in volumeMounts");
    }
    if (mountPaths.has(devicePath)) {
      yield invalid(pathPlace, devicePath, "must not already exist as a path in volumeMounts");
    }
    names.add(name);
  }
}
