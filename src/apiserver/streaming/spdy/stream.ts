import { Duplex } from "node:stream";
import { dataFrame, frameType, resetReason, streamFrame } from "./frames.ts";
import type { Headers } from "./headers.ts";

/** What a stream needs of its connection. */
export interface StreamOwner {
  /** Calls back when the transport has taken the frame. */
  write(frame: Buffer, done?: (error?: Error | null) => void): void;
  forget(stream: SpdyStream): void;
}

/** So much of a stream may wait for its reader before the connection, which all streams share, waits too. */
const readableHighWaterMark = 256 * 1024;

/** One stream that the client opened. Its two directions end on their own; destroying it resets it. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #owner: StreamOwner;
  #room: (() => void) | undefined;
  #isOver = false;

  constructor(id: number, headers: Headers, owner: StreamOwner) {
    super({ readableHighWaterMark, allowHalfOpen: true });
    this.id = id;
    this.headers = headers;
    this.#owner = owner;
    // Whoever reads or writes has its own listeners; a reset of a stream that nobody uses harms nobody.
    this.on("error", () => {});
  }

  /** Takes data off the wire. A promise means: there is no room, wait for it. */
  receive(data: Buffer): Promise<void> | undefined {
    if (this.destroyed || data.length === 0 || this.push(data)) return undefined;
    return new Promise((resolve) => (this.#room = resolve));
  }

  receiveEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  /** The other side has reset the stream, or is gone: there is nobody to tell. */
  abandon(): void {
    this.#isOver = true;
    this.destroy();
  }

  override _read(): void {
    this.#room?.();
    this.#room = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#owner.write(dataFrame(this.id, chunk, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#owner.write(dataFrame(this.id, Buffer.alloc(0), true), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    this.#owner.forget(this);
    const isComplete = this.writableFinished && this.readableEnded;
    if (!isComplete && !this.#isOver)
      this.#owner.write(streamFrame(frameType.reset, this.id, resetReason.cancel));
    done(error);
  }
}
