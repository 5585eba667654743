import type { Column } from "../../../meta/strategy.ts";
import { column, wide } from "../../printing.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import { classOf } from "./class-of.ts";
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
    "The volume mode: Filesystem or Block.",
    ({ spec }) => spec.volumeMode ?? "<unset>",
  ),
);

export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  column("Capacity", "The volume's capacity.", ({ spec }) => spec.capacity?.["storage"] ?? "0"),
  column("Access Modes", "The supported access modes.", ({ spec }) => modesText(spec.accessModes)),
  column(
    "Reclaim Policy",
    "The policy for the volume when its claim is deleted.",
    ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
  ),
  column("Status", "The volume's phase.", phaseText),
  column("Claim", "The claim that the volume is bound to.", ({ spec: { claimRef } }) =>
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
  ),
  column("StorageClass", "The StorageClass.", classOf),
  attributesClass,
  column("Reason", "The reason of a failure.", ({ status }) => status.reason ?? ""),
  modeColumn,
];
