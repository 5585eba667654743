import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";

/** The Pods of this node by the PersistentVolumes that they use. */
export class VolumeUses {
  /** UIDs of Pods by the volume's name. */
  readonly #pods = new Map<string, Set<string>>();

  /** Notes a use. Returns true if no other Pod of this node uses the volume. @throws Error for ReadWriteOncePod */
  add({ metadata: { name = "" }, spec: { accessModes = [] } }: PersistentVolume, uid: string): boolean {
    const uids = this.#pods.get(name) ?? new Set<string>();
    const isAlone = [...uids].every((one) => one === uid);
    // With further modes it is not known which of them the Pod means.
    if (!isAlone && accessModes.length === 1 && accessModes[0] === "ReadWriteOncePod")
      throw new Error("volume uses the ReadWriteOncePod access mode and is already in use by another pod");
    this.#pods.set(name, uids.add(uid));
    return isAlone;
  }

  /** Reports whether the Pod was noted as a user of the volume. */
  has(volume: string, uid: string): boolean {
    return this.#pods.get(volume)?.has(uid) === true;
  }

  remove(uid: string): void {
    for (const [name, uids] of this.#pods) if (uids.delete(uid) && uids.size === 0) this.#pods.delete(name);
  }
}
