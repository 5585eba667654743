import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  int32,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { PersistentVolumeSpec } from "../../core/persistent-volume/schema.ts";

const message = messages("io.k8s.api.storage.v1");

export const VolumeAttachmentSource = message("VolumeAttachmentSource", "What is attached: one of the two.", {
  persistentVolumeName: pointer(1, string, "A PersistentVolume."),
  inlineVolumeSpec: pointer(2, PersistentVolumeSpec, "A volume that stands in a Pod itself."),
});
export type VolumeAttachmentSource = Out<typeof VolumeAttachmentSource>;

export const VolumeAttachmentSpec = message("VolumeAttachmentSpec", "What is to be attached where.", {
  attacher: required(1, string, "The CSI driver that does it."),
  source: required(2, VolumeAttachmentSource, "What is attached."),
  nodeName: required(3, string, "The node."),
});
export type VolumeAttachmentSpec = Out<typeof VolumeAttachmentSpec>;

export const VolumeError = message("VolumeError", "What went wrong last.", {
  time: optional(1, time, "When it did."),
  message: optional(2, string, "What it was; no secrets."),
  errorCode: pointer(3, int32, "The driver's gRPC code."),
});
export type VolumeError = Out<typeof VolumeError>;

export const VolumeAttachmentStatus = message(
  "VolumeAttachmentStatus",
  "What is known about a VolumeAttachment.",
  {
    attached: required(1, boolean, "Whether the volume is attached."),
    attachmentMetadata: optional(2, map(string), "What the driver wants to know again when it mounts."),
    attachError: pointer(3, VolumeError, "What went wrong when it was attached."),
    detachError: pointer(4, VolumeError, "What went wrong when it was detached."),
  },
);
export type VolumeAttachmentStatus = Out<typeof VolumeAttachmentStatus>;

export const VolumeAttachment = message("VolumeAttachment", "Asks for a volume to be attached to a node.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, VolumeAttachmentSpec, "The desired state; it cannot be changed."),
  status: optional(3, VolumeAttachmentStatus, "The observed state."),
});

export const volumeAttachments = defineKind(VolumeAttachment, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
  status: true,
});
export type VolumeAttachment = ObjectOf<typeof volumeAttachments>;
