import { exactBytes } from "./exact-bytes.ts";

/** Large enough for the allocator to map and unmap it by itself. */
const slabBytes = 256 * 1024;
/** A value above this size gets a buffer of its own. */
const maxPlaced = slabBytes / 8;

/**
 * A place for the values of recent commits: one after the other in slabs. Most values are superseded soon, and leave
 * with the history that shows them, so that whole slabs become free; in buffers of their own they would leave holes
 * in the allocator's heap that never return to the operating system. The store moves what outlives its history
 * (`VersionedIndex.compact`).
 */
export class Nursery {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** A copy of the bytes, in a slab. */
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
