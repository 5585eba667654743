/** Reuses buffers of one size: new ones cause page faults and garbage collections. */
export class PiecePool {
  readonly #size: number;
  readonly #capacity: number;
  readonly #free: Buffer[] = [];
  /**
   * The pool's own buffers. Bytes of stored objects are sent by the same path, and must never be written to.
   */
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

  /**
   * Returns a buffer of the pool, or a part of one, for reuse. The caller must not use it afterwards. Other
   * bytes are ignored.
   */
  give({ buffer }: Uint8Array): void {
    if (this.#own.has(buffer) && this.#free.length < this.#capacity) this.#free.push(Buffer.from(buffer));
  }
}
