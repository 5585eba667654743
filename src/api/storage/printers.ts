import type { Column } from "../../meta/strategy.ts";
import { ageColumn, column, integer, nameColumn, orNone } from "../printing.ts";
import type { CSIDriver } from "./v1/csi-driver.ts";
import type { CSINode } from "./v1/csi-node.ts";
import type { StorageClass } from "./v1/storage-class.ts";
import type { VolumeAttachment } from "./v1/volume-attachment.ts";
import type { VolumeAttributesClass } from "./v1/volume-attributes-class.ts";

function yesOrNo<T>(name: string, description: string, cell: (object: T) => boolean): Column<T> {
  return { name, type: "boolean", description, cell };
}

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

export const volumeAttributesClassColumns: readonly Column<VolumeAttributesClass>[] = [
  column("DriverName", "The CSI driver.", ({ driverName }) => driverName),
];

export const volumeAttachmentColumns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  { ...column("Attacher", "The CSI driver that does it.", ({ spec }) => spec.attacher), format: "name" },
  column("PV", "The PersistentVolume.", ({ spec }) => spec.source.persistentVolumeName ?? ""),
  column("Node", "The node.", ({ spec }) => spec.nodeName),
  yesOrNo("Attached", "Whether the volume is attached.", ({ status }) => status.attached),
  ageColumn,
];

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  yesOrNo("AttachRequired", "Whether volumes are attached first.", ({ spec }) => spec.attachRequired ?? true),
  yesOrNo("PodInfoOnMount", "Whether it is told about the Pod.", ({ spec }) => spec.podInfoOnMount ?? false),
  yesOrNo(
    "StorageCapacity",
    "Whether it says how much is left.",
    ({ spec }) => spec.storageCapacity ?? false,
  ),
  column("TokenRequests", "Audiences of the tokens that it gets.", ({ spec: { tokenRequests } }) =>
    tokenRequests === undefined ? "<unset>" : tokenRequests.map(({ audience }) => audience).join(","),
  ),
  yesOrNo(
    "RequiresRepublish",
    "Whether it renews mounts again and again.",
    ({ spec }) => spec.requiresRepublish ?? false,
  ),
  column("Modes", "What volumes it has.", ({ spec }) => orNone((spec.volumeLifecycleModes ?? []).join(","))),
];

export const csiNodeColumns: readonly Column<CSINode>[] = [
  integer("Drivers", "How many drivers the node has.", ({ spec }) => spec.drivers.length),
];
