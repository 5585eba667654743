import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn } from "../../printing.ts";
import type { StorageClass } from "./schema.ts";

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata: { name = "", annotations = {} } }) =>
      defaultAnnotations.some((one) => annotations[one] === "true") ? `${name} (default)` : name,
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
