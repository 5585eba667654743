import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../../api/core/persistent-volume-claim/schema.ts";
import { isBoundTo } from "../../../api/core/persistent-volume/binding.ts";
import { classOf } from "../../../api/core/persistent-volume/class-of.ts";
import { useOf } from "../../../api/core/persistent-volume/matching.ts";
import { type PersistentVolume, persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import { csiDrivers } from "../../../api/storage/csi-driver/schema.ts";
import {
  type CSIStorageCapacity,
  csiStorageCapacities,
} from "../../../api/storage/csi-storage-capacity/schema.ts";
import { type StorageClass, storageClasses } from "../../../api/storage/storage-class/schema.ts";
import { defineIndex } from "../../../client/indexer.ts";
import { Latest } from "../../../client/latest.ts";
import type { Cache } from "../../../operator/cache.ts";

const byUse = defineIndex<PersistentVolume>("use", (volume) => [useOf(volume)]);
const byClass = defineIndex<CSIStorageCapacity>("class", ({ storageClassName }) => [storageClassName]);

/** The claims and volumes as the cache shows them, with what is assumed for the Pods whose binding is under way. */
export class Storage {
  readonly volumes = new Latest<PersistentVolume>();
  readonly claims = new Latest<PersistentVolumeClaim>();
  readonly #cache: Cache;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  volume(name: string): PersistentVolume | undefined {
    const cached = this.observedVolume(name);
    return cached === undefined ? undefined : this.volumes.of(cached);
  }

  /** The volume as the cache shows it. */
  observedVolume(name: string): PersistentVolume | undefined {
    return this.#cache.get(persistentVolumes, undefined, name);
  }

  /** The claim as the cache shows it. */
  observedClaim({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
    const found = this.#cache.get(persistentVolumeClaims, metadata.namespace, metadata.name ?? "");
    return found?.metadata.uid === metadata.uid ? found : undefined;
  }

  storageClass(name: string): StorageClass | undefined {
    return name === "" ? undefined : this.#cache.get(storageClasses, undefined, name);
  }

  /** The volumes of a class that are reserved to no claim. */
  freeVolumes(className: string): readonly PersistentVolume[] {
    return this.#cache
      .list(persistentVolumes, { index: byUse(`class:${className}`) })
      .map((volume) => this.volumes.of(volume))
      .filter(({ spec }) => spec.claimRef === undefined);
  }

  /** The volumes of the claim's class that are reserved to the claim. */
  reservedVolumes(claim: PersistentVolumeClaim): readonly PersistentVolume[] {
    const { name, namespace } = claim.metadata;
    const observed = this.#cache
      .list(persistentVolumes, { index: byUse(`claim:${namespace}/${name}`) })
      .map((volume) => this.volumes.of(volume));
    return [...new Set([...observed, ...this.volumes.all()])].filter(
      (volume) => isBoundTo(volume, claim) && classOf(volume) === classOf(claim),
    );
  }

  /** The free space of a class, segment by segment; undefined when the driver does not report it. */
  capacities({ metadata, provisioner }: StorageClass): readonly CSIStorageCapacity[] | undefined {
    const driver = this.#cache.get(csiDrivers, undefined, provisioner);
    if (driver?.spec.storageCapacity !== true) return undefined;
    return this.#cache.list(csiStorageCapacities, { index: byClass(metadata.name ?? "") });
  }
}
