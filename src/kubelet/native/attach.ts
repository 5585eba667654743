import { closeSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { once } from "node:events";
import { at, openTrusted } from "../safe-path/descriptors.ts";
import type { ExecSession } from "../runtime.ts";
import { encodeFrame, frameTypes } from "./frames.ts";
import { viewerSession, wantedByte, type Wanted } from "./viewer.ts";

/**
 * Makes a session on a container's own streams, with output from now on. It ends with the container; the
 * container continues without it. `exited` resolves with the container's exit code.
 */
export async function attachSession(
  directory: string,
  wanted: Wanted,
  exited: Promise<number>,
): Promise<ExecSession> {
  const socket = await dialSupervisor(directory);
  socket.write(wantedByte(wanted));
  const { ended, ...session } = viewerSession(socket, Buffer.alloc(0), wanted);
  return { ...session, exited: ended.then((code) => code ?? exited) };
}

/** Makes the supervisor open its log's path again: it creates the file if there is none. */
export async function reopenLog(directory: string): Promise<void> {
  const socket = await dialSupervisor(directory);
  socket.on("error", () => socket.destroy());
  const nothing = wantedByte({ stdin: false, stdout: false, stderr: false, tty: false });
  socket.end(Buffer.concat([nothing, encodeFrame(frameTypes.reopenLog, Buffer.alloc(0))]));
  socket.resume();
  await once(socket, "close");
}

/** The address is below a descriptor: a container's directory can be too long for a socket's address. */
async function dialSupervisor(directory: string): Promise<Socket> {
  const descriptor = openTrusted(directory);
  try {
    const socket = createConnection(at(descriptor, "attach"));
    await once(socket, "connect");
    return socket;
  } finally {
    closeSync(descriptor);
  }
}
