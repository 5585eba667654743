import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { classOf } from "../persistent-volume/class-of.ts";
import { attributesClass, modeColumn, modesText, phaseText } from "../persistent-volume/printer.ts";
import type { PersistentVolumeClaim } from "./schema.ts";

export const persistentVolumeClaimColumns: readonly Column<PersistentVolumeClaim>[] = [
  column("Status", "The claim's phase.", phaseText),
  column("Volume", "The volume bound to the claim.", ({ spec }) => spec.volumeName ?? ""),
  column("Capacity", "The volume's capacity.", ({ spec, status }) =>
    spec.volumeName === undefined ? "" : (status.capacity?.["storage"] ?? "0"),
  ),
  column("Access Modes", "The access modes of the volume.", ({ spec, status }) =>
    spec.volumeName === undefined ? "" : modesText(status.accessModes),
  ),
  column("StorageClass", "The StorageClass.", classOf),
  attributesClass,
  modeColumn,
];
