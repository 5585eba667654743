import type { Column } from "../../../meta/strategy.ts";
import { column, wide } from "../../printing.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import type { PersistentVolume } from "./schema.ts";

const shortModes = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
} as const;

export function modesText(modes: readonly string[] = []): string {
  const short = Object.entries(shortModes).filter(([mode]) => modes.includes(mode));
  return short.map(([, text]) => text).join(",");
}

/** The annotation is older than the field, and wins. */
export function classText({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  const annotated = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotated ?? spec.storageClassName ?? "";
}

export function phaseText({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating";
}

export const attributesClass = column<PersistentVolume | PersistentVolumeClaim>(
  "VolumeAttributesClass",
  "The VolumeAttributesClass.",
  ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
);

export const modeColumn = wide(
  column<PersistentVolume | PersistentVolumeClaim>(
    "VolumeMode",
    "A file system or a raw device.",
    ({ spec }) => spec.volumeMode ?? "<unset>",
  ),
);

export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  column("Capacity", "What it holds.", ({ spec }) => spec.capacity?.["storage"] ?? "0"),
  column("Access Modes", "How it can be mounted.", ({ spec }) => modesText(spec.accessModes)),
  column(
    "Reclaim Policy",
    "What becomes of it when its claim is gone.",
    ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
  ),
  column("Status", "Whether it is free, bound or released.", phaseText),
  column("Claim", "The claim that it is bound to.", ({ spec: { claimRef } }) =>
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
  ),
  column("StorageClass", "The StorageClass.", classText),
  attributesClass,
  column("Reason", "Why it failed.", ({ status }) => status.reason ?? ""),
  modeColumn,
];
