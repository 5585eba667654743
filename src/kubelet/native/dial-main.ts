import { Socket } from "node:net";
import type { DialReply, DialRequest } from "./dial.ts";

/** Entry point of a dialer: connects inside its network namespace and hands the socket over. Ends with Knarr. */
process.on("message", ({ number, port }: DialRequest) => {
  // Reading must not begin here: what was read would be lost in the handover.
  const socket = new Socket().pause();
  const answer = (reply: Omit<DialReply, "number">, handle?: Socket) =>
    process.send?.({ number, ...reply } satisfies DialReply, handle);
  socket.once("connect", () => answer({}, socket));
  socket.once("error", (error) => answer({ error: error.message }));
  socket.connect({ port, host: "127.0.0.1" });
});
