import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { volumeAttributesClasses } from "../../api/storage/volume-attributes-class/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { classesOfClaim, classesOfVolume, plan } from "./plan.ts";

const claimsOf = defineIndex<PersistentVolumeClaim>("attributes class", classesOfClaim);
const volumesOf = defineIndex<PersistentVolume>("attributes class", classesOfVolume);

/** Keeps deleted VolumeAttributesClasses while volumes or claims use them (upstream `volume/vacprotection`). */
export function attributesClassProtectionController(): Controller {
  return controller({
    name: "volumeattributesclass-protection-controller",
    for: volumeAttributesClasses,
    watches: [
      { kind: persistentVolumeClaims, map: classesOfClaim, filter: ({ type }) => type !== "added" },
      { kind: persistentVolumes, map: classesOfVolume, filter: ({ type }) => type !== "added" },
    ],
    async reconcile({ name, cache, client }) {
      const one = cache.get(volumeAttributesClasses, undefined, name);
      if (one === undefined) return;
      const isUsed =
        cache.list(persistentVolumes, { index: volumesOf(name) }).length > 0 ||
        cache.list(persistentVolumeClaims, { index: claimsOf(name) }).length > 0;
      const changed = plan(one, isUsed);
      if (changed !== undefined) await ignoreGone(client.of(volumeAttributesClasses).update(changed));
    },
  });
}
