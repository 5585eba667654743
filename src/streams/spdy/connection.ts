import type { Duplex } from "node:stream";
import { type Clock, every } from "../../util/clock.ts";
import { SpdyError } from "./errors.ts";
import {
  controlFrame,
  flags,
  type Frame,
  FrameParser,
  frameType,
  resetReason,
  streamFrame,
  streamOf,
} from "./frames.ts";
import { type Headers, HeaderReader, HeaderWriter } from "./headers.ts";
import { type StreamOwner, SpdyStream } from "./stream.ts";

/** The greatest number of open streams. A port-forward takes two for each connection. */
const maxStreams = 1000;
/**
 * The interval of pings: only a failed write detects that a client is gone when its data is not being read.
 */
const heartbeatMs = 30_000;
/** The time for which a client may keep the connection after its end. */
const lingerMs = 5000;
const noHeaders = new Map<string, string>();

/**
 * One side of SPDY/3.1 over a reliable byte stream. Only the client opens streams. Existing peers
 * (moby/spdystream) ignore windows and never send any: the transport provides back-pressure in both
 * directions.
 */
export class SpdyConnection {
  /** Fires when the transport has closed. */
  readonly gone: AbortSignal;
  readonly #transport: Duplex;
  readonly #clock: Clock;
  /** Undefined on the client's side. */
  readonly #accept: ((stream: SpdyStream) => void) | undefined;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  readonly #owner: StreamOwner;
  readonly #closed = Promise.withResolvers<void>();
  #lastStream = 0;
  #isBroken = false;
  #isRunning = false;
  /** The last ping of this side. The server's have even numbers, the client's odd ones. */
  #pings: number;

  /**
   * `accept` gets every stream that the client opens, after the reply was written. Without it, this is the
   * client's side.
   */
  constructor(transport: Duplex, clock: Clock, accept?: (stream: SpdyStream) => void) {
    this.#pings = accept === undefined ? 1 : 0;
    this.#transport = transport;
    this.#clock = clock;
    this.#accept = accept;
    this.#owner = {
      write: (frame, done) => this.#write(frame, done),
      forget: ({ id }) => this.#streams.delete(id),
    };
    const gone = new AbortController();
    this.gone = gone.signal;
    transport.on("error", () => {
      this.#isBroken = true;
      transport.destroy();
    });
    transport.once("close", () => {
      gone.abort();
      this.#closed.resolve();
      // A server may send its last frames and close at once: the client still has to take what it has read.
      const isTaking = this.#isRunning && this.#accept === undefined && !this.#isBroken;
      if (!isTaking) this.#release();
    });
  }

  /**
   * Opens a stream on the client's side; one call at a time. A stream whose connection closes, or that the
   * server resets, ends: servers close a session in this way after its last output.
   */
  async open(headers: Headers): Promise<SpdyStream> {
    this.#lastStream += this.#lastStream === 0 ? 1 : 2;
    const stream = new SpdyStream(this.#lastStream, headers, this.#owner);
    this.#streams.set(stream.id, stream);
    const head = Buffer.alloc(10);
    head.writeUInt32BE(stream.id);
    const block = await this.#writer.write(headers);
    await this.#written(controlFrame(frameType.synStream, 0, Buffer.concat([head, block])));
    return stream;
  }

  /** Serves until the transport closes. @throws SpdyError when the peer violates the protocol. */
  async run(): Promise<void> {
    const parser = new FrameParser();
    this.#isRunning = true;
    void every(this.#clock, heartbeatMs, this.gone, () => this.#ping());
    try {
      const chunks: AsyncIterable<Buffer> = this.#transport;
      for await (const chunk of chunks) for (const frame of parser.push(chunk)) await this.#take(frame);
    } catch (error) {
      // A transport that breaks off, even within a frame, ends the connection as a closed one does.
      if (error instanceof SpdyError && !this.gone.aborted) throw error;
    } finally {
      this.#transport.destroy();
      await this.#closed.promise;
      this.#release();
    }
  }

  /** Closes once everything written has been sent. */
  end(): void {
    if (this.#transport.destroyed) return;
    this.#transport.end();
    const timer = this.#clock.after(lingerMs, () => this.#transport.destroy());
    this.gone.addEventListener("abort", () => timer.cancel(), { once: true });
  }

  /** Closes at once. */
  abort(): void {
    this.#transport.destroy();
    this.#release();
  }

  /** Ends all streams. */
  #release(): void {
    for (const stream of this.#streams.values()) this.#reset(stream);
    this.#reader.close();
    this.#writer.close();
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === "data") {
      // Data for a stream that was just reset is dropped.
      const stream = this.#streams.get(frame.stream);
      await stream?.receive(frame.payload);
      if (frame.fin) stream?.receiveEnd();
      return;
    }
    const { type, payload } = frame;
    switch (type) {
      case frameType.synStream:
        await this.#open(payload, frame.flags);
        return;
      case frameType.synReply:
      case frameType.headers:
        // The headers are ignored, but the decompression must continue through them.
        await this.#reader.read(payload.subarray(4));
        return;
      case frameType.reset:
        this.#reset(this.#streams.get(streamOf(payload)));
        return;
      case frameType.ping:
        await this.#echo(payload);
    }
  }

  /**
   * Ends a stream that the peer has reset, or whose connection has closed. The client's side keeps the received
   * data readable, unless the connection broke.
   */
  #reset(stream: SpdyStream | undefined): void {
    if (this.#accept === undefined && !this.#isBroken) stream?.leave();
    else stream?.abandon();
  }

  async #open(payload: Buffer, frameFlags: number): Promise<void> {
    const id = streamOf(payload);
    if (this.#accept === undefined) throw new SpdyError(`the server may not open stream ${id}`);
    if (id % 2 === 0 || id <= this.#lastStream) throw new SpdyError(`the client may not open stream ${id}`);
    this.#lastStream = id;
    const headers = await this.#reader.read(payload.subarray(10));
    if (this.#streams.size >= maxStreams) {
      await this.#written(streamFrame(frameType.reset, id, resetReason.refusedStream));
      return;
    }
    const stream = new SpdyStream(id, headers, this.#owner);
    this.#streams.set(id, stream);
    if (frameFlags % 2 === flags.fin) stream.receiveEnd();
    const number = Buffer.alloc(4);
    number.writeUInt32BE(id);
    const block = await this.#writer.write(noHeaders);
    await this.#written(controlFrame(frameType.synReply, 0, Buffer.concat([number, block])));
    if (!stream.destroyed) this.#accept(stream);
  }

  /** Answers the peer's pings; other numbers are answers to ours. */
  async #echo(payload: Buffer): Promise<void> {
    if (streamOf(payload) % 2 !== this.#pings % 2)
      await this.#written(controlFrame(frameType.ping, 0, payload.subarray(0, 4)));
  }

  #ping(): void {
    const number = Buffer.alloc(4);
    this.#pings = (this.#pings + 2) % 0x7ffffffe;
    number.writeUInt32BE(this.#pings);
    this.#write(controlFrame(frameType.ping, 0, number));
  }

  /** Waits until the transport has taken an answer: from a client that does not read, nothing is read. */
  #written(frame: Buffer): Promise<void> {
    return new Promise((resolve) => this.#write(frame, () => resolve()));
  }

  #write(frame: Buffer, done: (error?: Error | null) => void = () => {}): void {
    if (this.#transport.writable) this.#transport.write(frame, done);
    else done(new SpdyError("the connection is closed"));
  }
}
