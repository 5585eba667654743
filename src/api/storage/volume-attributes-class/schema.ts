import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { map, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.storage.v1");

export const VolumeAttributesClass = message(
  "VolumeAttributesClass",
  "Named attributes of volumes that can be changed while a volume is in use.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    driverName: required(2, string, "The CSI driver; immutable."),
    parameters: optional(3, map(string), "Parameters for the driver; immutable."),
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
