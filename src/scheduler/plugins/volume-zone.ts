import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { waitsForConsumer } from "../../api/core/persistent-volume/binding.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { claimsOf, isOwnClaim, notFound } from "../claims.ts";
import { changeOf } from "../cluster-event.ts";
import { type Handle, type Plugin, rejected, type Rejection, unresolvable } from "../framework.ts";

const conflict = unresolvable("node(s) had no available volume zone");

const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
/** The labels of places, with the stable label that may stand for a deprecated one. */
const places: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", zone],
  ["failure-domain.beta.kubernetes.io/region", region],
  [zone, zone],
  [region, region],
]);

/** A place that a volume demands: one of the values of a label. */
type Place = readonly [label: string, values: readonly string[]];

/** Rejects nodes outside the zones and regions that the labels of the Pod's volumes name. */
export function volumeZone(handle: Handle): Plugin {
  const find = (pod: Pod) => placesOf(pod, handle);
  return {
    name: "VolumeZone",
    reads: [persistentVolumeClaims, persistentVolumes, storageClasses],
    keyOf(pod) {
      const found = find(pod);
      return "type" in found || found.length > 0 ? JSON.stringify(found) : undefined;
    },
    preFilter(pod) {
      const found = find(pod);
      if ("type" in found) return found;
      if (found.length === 0) return undefined;
      return {
        type: "filtering",
        filter({ labels }) {
          if (!places.keys().some((label) => labels[label] !== undefined)) return undefined;
          return found.every((place) => isIn(place, labels)) ? undefined : conflict;
        },
      };
    },
    helps(pod, event) {
      if (event.type === "nodeAdded" || isOwnClaim(pod, event, "added", "updated")) return true;
      if (event.type === "nodeUpdated")
        return !deepEqual(event.old.metadata.labels, event.node.metadata.labels);
      const added = changeOf(storageClasses, event);
      if (added !== undefined) return added.old === undefined && waitsForConsumer(added.object);
      const { old, object } = changeOf(persistentVolumes, event) ?? {};
      if (object === undefined) return false;
      return old === undefined || !deepEqual(placesOfVolume(old), placesOfVolume(object));
    },
  };
}

function isIn([label, values]: Place, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[label] ?? labels[places.get(label) ?? label];
  return value !== undefined && values.includes(value);
}

/** The places that the Pod's volumes demand, or the reason why they are not known. */
function placesOf(pod: Pod, { cache }: Handle): readonly Place[] | Rejection {
  const found: Place[] = [];
  for (const { name, isEphemeral, claim } of claimsOf(pod, cache)) {
    if (isEphemeral) continue;
    if (claim === undefined) return rejected(notFound(persistentVolumeClaims, name));
    const { volumeName = "" } = claim.spec;
    if (volumeName === "") {
      const className = classOf(claim);
      if (className === "") return rejected("PersistentVolumeClaim had no pv name and storageClass name");
      const storageClass = cache.get(storageClasses, undefined, className);
      if (storageClass === undefined) return rejected(notFound(storageClasses, className));
      if (!waitsForConsumer(storageClass)) return rejected("PersistentVolume had no name");
      continue;
    }
    const volume = cache.get(persistentVolumes, undefined, volumeName);
    if (volume === undefined) return rejected(notFound(persistentVolumes, volumeName));
    found.push(...placesOfVolume(volume));
  }
  return found;
}

/** Several zones of one volume are separated by `__`. */
function placesOfVolume({ metadata }: PersistentVolume): readonly Place[] {
  return [...places.keys()].flatMap((label): readonly Place[] => {
    const values = metadata.labels?.[label]?.split("__").map((one) => one.trim());
    return values === undefined || values.includes("") ? [] : [[label, values]];
  });
}
