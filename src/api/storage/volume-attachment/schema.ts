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

export const VolumeAttachmentSource = message(
  "VolumeAttachmentSource",
  "The volume to attach; one of the two is set.",
  {
    persistentVolumeName: pointer(1, string, "A PersistentVolume."),
    inlineVolumeSpec: pointer(2, PersistentVolumeSpec, "An inline volume of a Pod."),
  },
);
export type VolumeAttachmentSource = Out<typeof VolumeAttachmentSource>;

export const VolumeAttachmentSpec = message(
  "VolumeAttachmentSpec",
  "A volume and the node to attach it to.",
  {
    attacher: required(1, string, "The CSI driver that attaches the volume."),
    source: required(2, VolumeAttachmentSource, "The volume."),
    nodeName: required(3, string, "The node."),
  },
);
export type VolumeAttachmentSpec = Out<typeof VolumeAttachmentSpec>;

export const VolumeError = message("VolumeError", "The last error of an attach or detach operation.", {
  time: optional(1, time, "The time of the error."),
  message: optional(2, string, "The error; must not contain secrets."),
  errorCode: pointer(3, int32, "The driver's gRPC code."),
});
export type VolumeError = Out<typeof VolumeError>;

export const VolumeAttachmentStatus = message(
  "VolumeAttachmentStatus",
  "The observed state of a VolumeAttachment.",
  {
    attached: required(1, boolean, "Whether the volume is attached."),
    attachmentMetadata: optional(
      2,
      map(string),
      "Metadata of the attachment that the driver needs for mounting.",
    ),
    attachError: pointer(3, VolumeError, "The last error of attaching."),
    detachError: pointer(4, VolumeError, "The last error of detaching."),
  },
);
export type VolumeAttachmentStatus = Out<typeof VolumeAttachmentStatus>;

export const VolumeAttachment = message("VolumeAttachment", "Requests that a volume be attached to a node.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, VolumeAttachmentSpec, "The desired state; immutable."),
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
