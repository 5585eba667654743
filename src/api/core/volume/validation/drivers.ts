import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { rangeProblems } from "../../../../meta/validation/number.ts";
import { report, validateDnsLabel, validateKnown } from "../../../../meta/validation/report.ts";
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from "../drivers.ts";

/** Validation of drivers whose sources have the same rules in Pods and in PersistentVolumes. */

export function* validateNfs({ server, path }: NFSVolumeSource, place: FieldPath): Generator<FieldError> {
  if (server === "") yield requiredValue(place.child("server"));
  if (path === "") yield requiredValue(place.child("path"));
  if (!path.startsWith("/")) yield invalid(place.child("path"), path, "must be an absolute path");
}

/** Validates a cloud disk and its partition. `id` is the field of the disk's ID. */
export const diskOf = <Id extends string>(id: Id) =>
  function* (
    disk: Readonly<Record<Id, string>> & { readonly partition?: number },
    path: FieldPath,
  ): Generator<FieldError> {
    const { partition = 0 } = disk;
    if (disk[id] === "") yield requiredValue(path.child(id));
    // Upstream's message says 1, but 0 is valid and stands for the whole disk.
    if (partition < 0 || partition > 255) yield* report(path.child("partition"), partition, wrongPartition);
  };

const wrongPartition = rangeProblems(0, 1, 255);

export function* validateFc(
  { targetWWNs = [], wwids = [], lun }: FCVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  const targets = path.child("targetWWNs");
  if (targetWWNs.length === 0) {
    if (wwids.length === 0) {
      yield requiredValue(targets, "must specify either targetWWNs or wwids, but not both");
    }
    return;
  }
  if (wwids.length > 0) {
    yield invalid(targets, targetWWNs, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (lun === undefined) yield requiredValue(path.child("lun"), "lun is required if targetWWNs is specified");
  else yield* report(path.child("lun"), lun, rangeProblems(lun, 0, 255));
}

export function* validateFlocker(
  { datasetName, datasetUUID }: FlockerVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  if (datasetName === undefined && datasetUUID === undefined) {
    yield requiredValue(path, "one of datasetName and datasetUUID is required");
  }
  if (datasetName === undefined) return;
  if (datasetUUID !== undefined) {
    yield invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (datasetName.includes("/"))
    yield invalid(path.child("datasetName"), datasetName, "must not contain '/'");
}

const hostPort = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

export function* validateQuobyte(
  { registry, tenant = "", volume }: QuobyteVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  const message = "must be a host:port pair or multiple pairs separated by commas";
  if (registry === "") yield requiredValue(path.child("registry"), message);
  else if (Buffer.byteLength(tenant) >= 65) {
    yield requiredValue(path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const pair of registry.split(",")) {
      if (!hostPort.test(pair)) yield invalid(path.child("registry"), registry, message);
    }
  }
  if (volume === "") yield requiredValue(path.child("volume"));
}

/** Forbids options that the kubelet sets. */
export function* validateFlexVolume(
  { driver, options = {} }: { readonly driver: string; readonly options?: Readonly<Record<string, string>> },
  path: FieldPath,
): Generator<FieldError> {
  if (driver === "") yield requiredValue(path.child("driver"));
  for (const key of Object.keys(options)) {
    const [namespace = ""] = key.split("/");
    if (/(^|\.)(kubernetes|k8s)\.io$/i.test(namespace)) {
      yield invalid(path.child("options").key(key), key, "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

const managedDisk =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function* validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): Generator<FieldError> {
  const { diskName, diskURI, cachingMode, kind } = source;
  if (diskName === "") yield requiredValue(path.child("diskName"));
  if (diskURI === "") yield requiredValue(path.child("diskURI"));
  yield* validateKnown(cachingMode, ["None", "ReadOnly", "ReadWrite"], path.child("cachingMode"));
  yield* validateKnown(kind, ["Dedicated", "Managed", "Shared"], path.child("kind"));
  if (kind === undefined) return;
  const [start, form] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  if (!diskURI.startsWith(start)) yield notSupported(path.child("diskURI"), diskURI, [form]);
}

/** Validates the Secret with the login. In a PersistentVolume, it needs a namespace. */
function* validateLogin(
  secret: { readonly name?: string; readonly namespace?: string } | undefined,
  fields: readonly ("name" | "namespace")[],
  path: FieldPath,
): Generator<FieldError> {
  if (secret === undefined) return;
  for (const field of fields) {
    if (secret[field] === undefined) yield requiredValue(path.child("secretRef", field));
  }
}

/** `login` lists the required fields of the reference to the Secret. */
export const cinder = (...login: readonly ("name" | "namespace")[]) =>
  function* (
    { volumeID, secretRef }: { readonly volumeID: string; readonly secretRef?: { readonly name?: string } },
    path: FieldPath,
  ): Generator<FieldError> {
    if (volumeID === "") yield requiredValue(path.child("volumeID"));
    yield* validateLogin(secretRef, login, path);
  };

export const storageOs = (...login: readonly ("name" | "namespace")[]) =>
  function* (
    source: {
      readonly volumeName?: string;
      readonly volumeNamespace?: string;
      readonly secretRef?: { readonly name?: string };
    },
    path: FieldPath,
  ): Generator<FieldError> {
    const { volumeName, volumeNamespace, secretRef } = source;
    if (volumeName === undefined) yield requiredValue(path.child("volumeName"));
    else yield* validateDnsLabel(volumeName, path.child("volumeName"));
    if (volumeNamespace !== undefined) {
      yield* validateDnsLabel(volumeNamespace, path.child("volumeNamespace"));
    }
    yield* validateLogin(secretRef, login, path);
  };
