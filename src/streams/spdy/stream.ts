import { Duplex } from "node:stream";
import { dataFrame, frameType, resetReason, streamFrame } from "./frames.ts";
import type { Headers } from "./headers.ts";

/** The methods of a connection that its streams use. */
export interface StreamOwner {
  /** Calls back when the transport has taken the frame. */
  write(frame: Buffer, done?: (error?: Error | null) => void): void;
  forget(stream: SpdyStream): void;
}

/** The greatest size of a stream's unread data before the connection, which all streams share, waits too. */
const readableHighWaterMark = 256 * 1024;

/** One stream, which the client opened. Its two directions end separately; destroying it resets it. */
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
    // Readers and writers have their own listeners; the reset of an unused stream must not throw.
    this.on("error", () => {});
  }

  /** Receives data from the connection. A returned promise resolves when the stream has room again. */
  receive(data: Buffer): Promise<void> | undefined {
    if (this.destroyed || data.length === 0 || this.push(data)) return undefined;
    return new Promise((resolve) => (this.#room = resolve));
  }

  receiveEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  /** Ends the stream without a reset frame, because the other side has reset it or disconnected. */
  abandon(): void {
    this.#isOver = true;
    this.destroy();
  }

  /** Ends both directions: received data remains readable, and later writes are dropped. */
  leave(): void {
    this.#isOver = true;
    this.receiveEnd();
    this.#owner.forget(this);
  }

  override _read(): void {
    this.#room?.();
    this.#room = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isOver) done();
    else this.#owner.write(dataFrame(this.id, chunk, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isOver) done();
    else this.#owner.write(dataFrame(this.id, Buffer.alloc(0), true), done);
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
