import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { namesClass } from "../../api/core/persistent-volume/class-of.ts";
import { defaultClass } from "../../api/storage/storage-class/default-class.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/** Gives a new claim without a class the default class (plugin `storage/storageclass/setdefault`). */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  mutate(attributes, { reader }) {
    const { operation, object } = about(persistentVolumeClaims, attributes) ?? {};
    if (operation !== "CREATE" || object === undefined || namesClass(object)) return;
    const name = defaultClass(reader.list(storageClasses))?.metadata.name;
    if (name !== undefined) object.spec.storageClassName = name;
  },
};
