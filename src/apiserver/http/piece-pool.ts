/** Buffers of one size that are used again and again: new ones are paged in, and bring the garbage collector out. */
export class PiecePool {
  readonly #size: number;
  readonly #capacity: number;
  readonly #free: Buffer[] = [];
  /** What the pool has made. Bytes of stored objects go the same way, and must never be written to. */
  readonly #own = new WeakSet<ArrayBufferLike>();

  /** Keeps at most `capacity` buffers of `size` bytes. */
  constructor(size: number, capacity: number) {
    this.#size = size;
    this.#capacity = capacity;
  }

  take(): Buffer {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const made = Buffer.allocUnsafeSlow(this.#size);
    this.#own.add(made.buffer);
    return made;
  }

  /** Takes back a buffer, or a part of one, that nobody reads any more; other bytes are left alone. */
  give({ buffer }: Uint8Array): void {
    if (this.#own.has(buffer) && this.#free.length < this.#capacity) this.#free.push(Buffer.from(buffer));
  }
}
