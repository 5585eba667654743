import { Readable, Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";

/** The encoding of channels in messages. */
export interface ChannelFormat {
  /** Text messages: a digit names the channel, the rest is base64. */
  readonly base64: boolean;
  /** Version 5: a message on channel 255 names a channel that ends. */
  readonly closeSignal: boolean;
}

const closeChannel = 255;
const digitZero = 0x30;

/** One WebSocket shared by numbered streams. Messages on channels without a reader are dropped. */
export class ChannelSocket {
  /** Fires when the connection has closed. */
  readonly gone: AbortSignal;
  readonly #webSocket: WebSocket;
  readonly #format: ChannelFormat;
  readonly #readers = new Map<number, Readable>();
  readonly #writers = new Set<Writable>();
  /** Readers that are full. While there is one, the whole connection waits, because its streams share it. */
  readonly #full = new Set<Readable>();

  constructor(webSocket: WebSocket, format: ChannelFormat) {
    this.#webSocket = webSocket;
    this.#format = format;
    const gone = new AbortController();
    this.gone = gone.signal;
    webSocket.on("message", (data) => this.#take(bytesOf(data)));
    webSocket.once("close", () => {
      gone.abort();
      for (const stream of [...this.#readers.values(), ...this.#writers]) stream.destroy();
    });
  }

  /** Returns the data that the client sends on a channel. */
  readable(channel: number): Readable {
    const room = () => this.#drained(reader);
    const reader = new Readable({
      read: room,
      destroy(error, done) {
        room();
        done(error);
      },
    });
    this.#readers.set(channel, reader);
    return reader;
  }

  /** Returns a stream to the client on a channel: a chunk is done when the socket has taken it. */
  writable(channel: number): Writable {
    const writer = new Writable({
      write: (chunk: Buffer, _, done) =>
        this.#webSocket.send(this.#frame(channel, chunk), (error) => done(error)),
    });
    this.#writers.add(writer);
    // Writers handle errors; an unused channel fails with its connection.
    return writer.on("error", () => {}).once("close", () => this.#writers.delete(writer));
  }

  /** Resolves when the socket has taken the message, or is closed. */
  send(channel: number, payload: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#webSocket.send(this.#frame(channel, payload), () => resolve());
    });
  }

  /** Closes in order: everything sent before arrives. */
  close(): void {
    this.#webSocket.resume();
    this.#webSocket.close(1000);
  }

  #frame(channel: number, payload: Uint8Array): Buffer | string {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    return this.#format.base64
      ? `${channel}${bytes.toString("base64")}`
      : Buffer.concat([Buffer.of(channel), bytes]);
  }

  #take(message: Buffer): void {
    const [first] = message;
    if (first === undefined) return;
    const channel = this.#format.base64 ? first - digitZero : first;
    const rest = message.subarray(1);
    const payload = this.#format.base64 ? Buffer.from(rest.toString("latin1"), "base64") : rest;
    if (channel === closeChannel && this.#format.closeSignal) {
      const reader = this.#readers.get(payload[0] ?? closeChannel);
      if (reader?.destroyed === false) reader.push(null);
      this.#readers.delete(payload[0] ?? closeChannel);
      return;
    }
    const reader = this.#readers.get(channel);
    if (reader === undefined || reader.destroyed || payload.length === 0 || reader.push(payload)) return;
    this.#full.add(reader);
    this.#webSocket.pause();
  }

  #drained(reader: Readable): void {
    if (this.#full.delete(reader) && this.#full.size === 0) this.#webSocket.resume();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
