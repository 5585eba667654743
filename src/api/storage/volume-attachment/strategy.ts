import type { Strategy } from "../../../meta/strategy.ts";
import { keepMetadata } from "../../status-metadata.ts";
import { volumeAttachmentColumns } from "./printer.ts";
import type { VolumeAttachment } from "./schema.ts";
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from "./validation.ts";

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  prepareForUpdate(draft, old, { subresource }) {
    if (subresource === "status") keepMetadata(draft.metadata, old.metadata);
  },
  validate: validateVolumeAttachment,
  validateUpdate: validateVolumeAttachmentUpdate,
  parts: { status: { validate: validateVolumeAttachment } },
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: volumeAttachmentColumns,
};
