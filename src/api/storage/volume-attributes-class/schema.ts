import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { map, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const VolumeAttributesClass = message(
  "VolumeAttributesClass",
  "Properties of volumes that claims may change while they are in use, by a name.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    driverName: required(2, string, "The CSI driver; it cannot be changed."),
    parameters: optional(3, map(string), "What the driver is told; it cannot be changed."),
  },
);

export const volumeAttributesClasses = defineKind(VolumeAttributesClass, {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  namespaced: false,
  shortNames: ["vac"],
});
export type VolumeAttributesClass = ObjectOf<typeof volumeAttributesClasses>;
