import type { Duplex } from "node:stream";
import type { Upgrade } from "./accept.ts";

/** Answers 101 and returns the byte stream for SPDY's frames. */
export function acceptSpdy(
  { socket, head }: Upgrade,
  protocol: string,
  headers: Readonly<Record<string, string>>,
): Duplex {
  const lines = Object.entries({
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": protocol,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return socket;
}
