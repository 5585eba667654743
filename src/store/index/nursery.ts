import { exactBytes } from "./exact-bytes.ts";

/** Large enough for the allocator to map and unmap it separately. */
const slabBytes = 256 * 1024;
/** A larger value gets a buffer of its own. */
const maxPlaced = slabBytes / 8;

/**
 * Stores the values of recent commits one after the other in slabs. Most values are superseded soon and freed
 * with their history, so that whole slabs become free. Buffers of their own would leave holes in the
 * allocator's heap that are never returned to the operating system. The store moves values that outlive their
 * history (`VersionedIndex.compact`).
 */
export class Nursery {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** Copies the bytes into a slab. */
  place(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (length > maxPlaced) return exactBytes(bytes);
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const placed = this.#slab.subarray(this.#used, this.#used + length);
    placed.set(bytes);
    this.#used += length;
    return placed;
  }
}
