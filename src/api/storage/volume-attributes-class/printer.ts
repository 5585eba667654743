import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { VolumeAttributesClass } from "./schema.ts";

export const volumeAttributesClassColumns: readonly Column<VolumeAttributesClass>[] = [
  column("DriverName", "The CSI driver.", ({ driverName }) => driverName),
];
