import type { Socket } from "node:net";

/**
 * The protocol between Knarr and the stdio server, on a Unix socket.
 *
 * A connection starts with one line of JSON. A control connection continues with a `Request` on each line,
 * each answered by a line with its number. An attached connection continues with frames in both directions.
 */
export type Hello = { readonly kind: "control" } | ({ readonly kind: "attach" } & AttachRequest);

export interface AttachRequest {
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** The streams of a container, to be read until they end. */
export interface ChannelSpec {
  readonly container: string;
  /** Holds the FIFOs `stdout`, `stderr` and `stdin`. */
  readonly directory: string;
  readonly logPath: string;
  readonly stdin: boolean;
  /** The container's stdin is closed when the first attached client closes its own. */
  readonly stdinOnce: boolean;
}

export type Request =
  /** Answered when the FIFOs are open: from then on no output of the container is lost. */
  | { readonly number: number; readonly kind: "open"; readonly channel: ChannelSpec }
  /** Answered when all output of a container is in its log. */
  | { readonly number: number; readonly kind: "drained"; readonly container: string };

export interface Reply {
  readonly number: number;
  readonly error?: string;
}

/** 0 is stdin (an empty frame is its end), 1 stdout, 2 stderr. */
export type FrameStream = 0 | 1 | 2;

const headerBytes = 5;
/** No peer sends longer frames; a longer one is an error. */
const maxFrameBytes = 1 << 20;

export function encodeFrame(stream: FrameStream, data: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(data.length, 1);
  return Buffer.concat([header, data]);
}

/** Calls `deliver` for each frame; `start` is the data that was read with the first line. */
export function readFrames(
  socket: Socket,
  start: Buffer,
  deliver: (stream: number, data: Buffer) => void,
): void {
  let pending = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= headerBytes) {
      const length = pending.readUInt32BE(1);
      if (length > maxFrameBytes) return void socket.destroy(new Error(`frame of ${length} bytes`));
      if (pending.length < headerBytes + length) break;
      deliver(pending.readUInt8(0), pending.subarray(headerBytes, headerBytes + length));
      pending = pending.subarray(headerBytes + length);
    }
  };
  take(start);
  socket.on("data", take);
}

/**
 * Calls `deliver` for each line until it returns true. The remaining data is passed to `rest`, and reading
 * stops.
 */
export function readLines(
  socket: Socket,
  deliver: (line: string) => boolean,
  rest: (data: Buffer) => void = () => {},
): void {
  let pending = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(10); end >= 0; end = pending.indexOf(10)) {
      const line = pending.subarray(0, end).toString("utf8");
      pending = pending.subarray(end + 1);
      if (!deliver(line)) continue;
      socket.off("data", take);
      return rest(pending);
    }
  };
  socket.on("data", take);
}
