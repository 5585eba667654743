import { Socket } from "node:net";
import type { DialReply, DialRequest } from "./dial.ts";

/**
 * The entry point of a dialer: connects inside its network namespace and passes the socket to Knarr. It ends
 * with Knarr.
 */
process.on("message", ({ number, port }: DialRequest) => {
  // Reading must not begin here: bytes read before the handover would be lost.
  const socket = new Socket().pause();
  const answer = (reply: Omit<DialReply, "number">, handle?: Socket) =>
    process.send?.({ number, ...reply } satisfies DialReply, handle);
  socket.once("connect", () => answer({}, socket));
  socket.once("error", (error) => answer({ error: error.message }));
  socket.connect({ port, host: "127.0.0.1" });
});
