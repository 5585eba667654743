import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";
import { errors } from "../../meta/status.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/**
 * Refuses to expand claims whose class does not allow it (plugin `persistentvolume/resize`). The validation has refused
 * claims that are not bound.
 */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  validate(attributes, { reader }) {
    const { object, old, resource, name } = about(persistentVolumeClaims, attributes) ?? {};
    if (object === undefined || old === undefined || resource === undefined) return;
    // Safe: validation is past the defaults, so that the draft has the form of a stored object.
    const claim = object as PersistentVolumeClaim;
    if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
    const className = classOf(claim);
    const found = className === "" ? undefined : reader.get(storageClasses, "", className);
    if (className === classOf(old) && found?.allowVolumeExpansion === true) return;
    throw errors.forbidden(
      resource.name,
      name ?? "",
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  },
};

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec.resources.requests?.["storage"] ?? "0");
}
