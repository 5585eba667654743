import { SpdyError } from "./errors.ts";

/** The types of control frames that are handled (SPDY/3.1 §2.6). */
export const frameType = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;

export const flags = { fin: 1 } as const;

/** Reasons of RST_STREAM (§2.6.3). */
export const resetReason = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

export type Frame =
  | { readonly kind: "control"; readonly type: number; readonly flags: number; readonly payload: Buffer }
  /** A piece of a data frame; `fin` is on the last piece of a stream's last frame. */
  | { readonly kind: "data"; readonly stream: number; readonly payload: Buffer; readonly fin: boolean };

const headBytes = 8;
/** Bounds control frames, which are collected first. Data frames of any size are passed on in pieces. */
const maxControlBytes = 64 * 1024;
const version = 3;
const maxStream = 0x7fffffff;

/** Splits a byte stream into frames. @throws SpdyError */
export class FrameParser {
  #pending: Buffer = Buffer.alloc(0);
  /** The rest of a data frame that has begun. */
  #data: { readonly stream: number; readonly fin: boolean; left: number } | undefined;

  *push(chunk: Buffer): Generator<Frame> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    if (this.#data !== undefined) return this.#piece(this.#data);
    if (this.#pending.length < headBytes) return undefined;
    const first = this.#pending.readUInt32BE(0);
    const second = this.#pending.readUInt32BE(4);
    const length = second & 0xffffff;
    if (first >>> 31 === 0) {
      this.#pending = this.#pending.subarray(headBytes);
      this.#data = { stream: first, fin: (second >>> 24) % 2 === flags.fin, left: length };
      return this.#piece(this.#data);
    }
    if (((first >>> 16) & 0x7fff) !== version) throw new SpdyError("this is not SPDY/3");
    if (length > maxControlBytes) throw new SpdyError("a control frame is too large");
    if (this.#pending.length < headBytes + length) return undefined;
    const payload = this.#pending.subarray(headBytes, headBytes + length);
    this.#pending = this.#pending.subarray(headBytes + length);
    return { kind: "control", type: first & 0xffff, flags: second >>> 24, payload };
  }

  #piece(data: { readonly stream: number; readonly fin: boolean; left: number }): Frame | undefined {
    if (data.left > 0 && this.#pending.length === 0) return undefined;
    const payload = this.#pending.subarray(0, data.left);
    this.#pending = this.#pending.subarray(payload.length);
    data.left -= payload.length;
    if (data.left === 0) this.#data = undefined;
    return { kind: "data", stream: data.stream, payload, fin: data.fin && data.left === 0 };
  }
}

export function controlFrame(type: number, flags: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, payload]);
}

export function dataFrame(stream: number, payload: Uint8Array, fin: boolean): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(payload.length, 4);
  head.writeUInt8(fin ? flags.fin : 0, 4);
  return Buffer.concat([head, payload]);
}

/** Makes a control frame with a stream and a number: RST_STREAM, WINDOW_UPDATE. */
export function streamFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(stream, 0);
  payload.writeUInt32BE(value, 4);
  return controlFrame(type, 0, payload);
}

/** Returns the stream at the beginning of a control frame's payload. @throws SpdyError */
export function streamOf(payload: Buffer): number {
  if (payload.length < 4) throw new SpdyError("a control frame ends early");
  return payload.readUInt32BE(0) & maxStream;
}
