import { Socket } from "node:net";

/** Returns a pipe to a child process as the socket that Node makes of it. */
export function pipeSocket(stream: unknown): Socket {
  if (stream instanceof Socket) return stream;
  throw new TypeError("Cannot use the stream of a child process: it is no pipe");
}
