import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn } from "../../printing.ts";
import { isDefaultClass } from "./default-class.ts";
import type { StorageClass } from "./schema.ts";

export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    cell: (one) => `${one.metadata.name ?? ""}${isDefaultClass(one) ? " (default)" : ""}`,
  },
  column("Provisioner", "The provisioner of the volumes.", ({ provisioner }) => provisioner),
  column(
    "ReclaimPolicy",
    "The reclaim policy of the volumes.",
    ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
  ),
  column(
    "VolumeBindingMode",
    "The time of volume binding and provisioning.",
    ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
  ),
  column(
    "AllowVolumeExpansion",
    "Whether claims can be expanded.",
    ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  ),
  ageColumn,
];
