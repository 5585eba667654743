import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn, yesOrNo } from "../../printing.ts";
import type { VolumeAttachment } from "./schema.ts";

export const volumeAttachmentColumns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  {
    ...column("Attacher", "The CSI driver that attaches the volume.", ({ spec }) => spec.attacher),
    format: "name",
  },
  column("PV", "The PersistentVolume.", ({ spec }) => spec.source.persistentVolumeName ?? ""),
  column("Node", "The node.", ({ spec }) => spec.nodeName),
  yesOrNo("Attached", "Whether the volume is attached.", ({ status }) => status.attached),
  ageColumn,
];
