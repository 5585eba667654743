import { type WebSocket, WebSocketServer } from "ws";
import { type Clock, every } from "../../util/clock.ts";
import type { Upgrade } from "../accept.ts";

/** The greatest size of a message in bytes: clients send input in one piece (x/net/websocket's limit). */
const maxPayload = 32 << 20;

/**
 * The interval of pings: when either side has stopped reading, only a failed write detects that the other
 * side is gone.
 */
const heartbeatMs = 30_000;

/** Completes the handshake. Returns undefined when it fails, which `ws` has answered with 400. */
export function acceptWebSocket(
  { request, socket, head }: Upgrade,
  subprotocol: string,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
): WebSocket | undefined {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
  });
  // The subprotocol is chosen already, and `ws` refuses names with a slash, as in SPDY's tunnel.
  delete request.headers["sec-websocket-protocol"];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (subprotocol !== "") lines.push(`Sec-WebSocket-Protocol: ${subprotocol}`);
  server.on("headers", (head: string[]) => head.push(...lines));
  let accepted: WebSocket | undefined;
  server.handleUpgrade(request, socket, head, (webSocket) => {
    accepted = webSocket;
  });
  if (accepted === undefined) return undefined;
  // Errors end the connection: `close` follows every error.
  accepted.on("error", () => {});
  beat(accepted, clock);
  return accepted;
}

function beat(webSocket: WebSocket, clock: Clock): void {
  const gone = new AbortController();
  webSocket.once("close", () => gone.abort());
  void every(clock, heartbeatMs, gone.signal, () => {
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
  });
}
