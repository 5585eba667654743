import { once } from "node:events";
import type { Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import type { AttachOptions, ExecSession } from "../runtime.ts";
import { encodeFrame, frameTypes, readFrames } from "./frames.ts";

export type Wanted = Pick<AttachOptions, "stdin" | "stdout" | "stderr" | "tty">;

/** Returns the byte with which a viewer says what it wants of a container's streams. */
export function wantedByte({ stdin, stdout, stderr }: Wanted): Buffer {
  return Buffer.from([Number(stdin) | (Number(stdout) << 1) | (Number(stderr) << 2)]);
}

/**
 * Makes a session on a connection to a supervisor, of which `start` was read before. `ended` resolves to the exit code that
 * the supervisor sent, or to undefined if the connection was closed without one.
 */
export function viewerSession(
  socket: Socket,
  start: Buffer,
  { stdin, stdout, stderr, tty }: Wanted,
): Omit<ExecSession, "exited"> & { readonly ended: Promise<number | undefined> } {
  const output = new PassThrough();
  const errors = new PassThrough();
  let code: number | undefined;
  socket.on("error", () => socket.destroy());
  readFrames(socket, start, (type, content) => {
    if (type === frameTypes.exit) code = content.readInt32BE(0);
    const to = type === frameTypes.output ? output : type === frameTypes.error ? errors : undefined;
    if (to === undefined || to.write(content)) return;
    socket.pause();
    void once(to, "drain").then(() => socket.resume());
  });
  const ended = new Promise<number | undefined>((resolve) => {
    socket.on("close", () => {
      for (const stream of [output, errors]) stream.end();
      resolve(code);
    });
  });
  const send = (type: number, content: Buffer, done?: () => void) =>
    void socket.write(encodeFrame(type, content), () => done?.());
  const input = new Writable({
    write: (chunk: Buffer, _, done) => send(frameTypes.input, chunk, done),
    final: (done) => send(frameTypes.input, Buffer.alloc(0), done),
  });
  return {
    ...(stdin && { stdin: input }),
    ...(stdout && { stdout: output }),
    ...(stderr && !tty && { stderr: errors }),
    ended,
    resize({ width, height }) {
      const size = Buffer.alloc(4);
      size.writeUInt16BE(Math.min(height, 0xffff), 0);
      size.writeUInt16BE(Math.min(width, 0xffff), 2);
      if (tty) send(frameTypes.size, size);
    },
    close() {
      socket.end();
      for (const stream of [output, errors]) stream.resume(); // Nobody reads what is still to come.
    },
  };
}
