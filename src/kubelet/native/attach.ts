import { once } from "node:events";
import type { Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import type { AttachOptions, ExecSession, TerminalSize } from "../runtime.ts";
import { encodeFrame, readFrames } from "./stdio/protocol.ts";

export interface AttachPlan {
  /** A connection to the stdio server that carries this container's frames. */
  readonly socket: Socket;
  /** The container has a terminal. */
  readonly tty: boolean;
  resize(size: TerminalSize): void;
  /** Resolves with the container's exit code. */
  readonly exited: Promise<number>;
}

/**
 * Makes a session on a container's own streams, with output from now on. It ends with the container; the
 * container continues without it.
 */
export function attachSession(plan: AttachPlan, options: AttachOptions): ExecSession {
  const { socket } = plan;
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const outputs = [stdout, stderr];
  socket.on("error", () => socket.destroy());
  readFrames(socket, Buffer.alloc(0), (stream, data) => {
    const output = stream === 1 ? stdout : stderr;
    if (output.write(data)) return;
    socket.pause();
    void once(output, "drain").then(() => socket.resume());
  });
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      for (const output of outputs) output.end();
      resolve();
    });
  });
  const stdin = new Writable({
    write: (chunk: Buffer, _, done) => void socket.write(encodeFrame(0, chunk), () => done()),
    final: (done) => void socket.write(encodeFrame(0, Buffer.alloc(0)), () => done()),
  });
  return {
    ...(options.stdin && { stdin }),
    ...(options.stdout && { stdout }),
    ...(options.stderr && !plan.tty && { stderr }),
    exited: closed.then(() => plan.exited),
    resize: (size) => plan.resize(size),
    close: () => void socket.destroy(),
  };
}
