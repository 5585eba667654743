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
  column("Provisioner", "Who makes the volumes.", ({ provisioner }) => provisioner),
  column(
    "ReclaimPolicy",
    "What becomes of volumes when their claims are gone.",
    ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
  ),
  column(
    "VolumeBindingMode",
    "When volumes are made.",
    ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
  ),
  column(
    "AllowVolumeExpansion",
    "Whether claims may ask for more later.",
    ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  ),
  ageColumn,
];
