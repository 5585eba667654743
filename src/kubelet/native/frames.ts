import type { Socket } from "node:net";

/**
 * The types of the frames between Knarr and a supervisor (`native/init/streams.c`): a byte for the type, the size in four
 * bytes, and the content. An empty `input` is the input's end; `size` has rows and columns in two bytes each; `exit` has the
 * exit code in four bytes.
 */
export const frameTypes = { input: 0, output: 1, error: 2, size: 3, exit: 4, reopenLog: 5 } as const;

const headerBytes = 5;
/** No peer sends longer frames; a longer one is an error. */
const maxFrameBytes = 1 << 20;

export function encodeFrame(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(content.length, 1);
  return Buffer.concat([header, content]);
}

/** Calls `deliver` for each frame; `start` is data that was read before. */
export function readFrames(
  socket: Socket,
  start: Buffer,
  deliver: (type: number, content: Buffer) => void,
): void {
  let pending: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
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
