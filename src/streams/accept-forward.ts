import { createWebSocketStream } from "ws";
import type { ApiRequest } from "../meta/exchange.ts";
import { errors } from "../meta/status.ts";
import type { Clock } from "../util/clock.ts";
import { negotiate, type Start, type Upgrade } from "./accept.ts";
import type { Forward } from "./forward.ts";
import { acceptSpdy } from "./spdy-accept.ts";
import { forwardStreams } from "./spdy-forward.ts";
import { acceptWebSocket } from "./websocket/accept.ts";
import { channelProtocols } from "./websocket/exec.ts";
import { forwardChannels, parsePorts } from "./websocket/forward.ts";

/** The protocol of port-forward over SPDY. */
export const spdyForwardProtocol = "portforward.k8s.io";
/** SPDY inside WebSocket (KEP-4006). */
export const tunnelProtocol = `SPDY/3.1+${spdyForwardProtocol}`;

/** Serves a port-forward over SPDY or WebSocket. @throws StatusError before anything is connected */
export function acceptForward(
  request: ApiRequest,
  clock: Clock,
  { protocol }: Upgrade,
  forward: Forward,
): Start {
  if (protocol === "spdy/3.1") {
    const known = new Map([[spdyForwardProtocol, true]]);
    const [chosen] = negotiate(request.headers["x-stream-protocol-version"], known);
    return (connection, headers) => forwardStreams(acceptSpdy(connection, chosen, headers), clock, forward);
  }
  if (protocol === undefined) throw errors.badRequest("Upgrade request required");
  const offered = request.headers["sec-websocket-protocol"];
  if (offered?.split(",").some((one) => one.trim() === tunnelProtocol)) {
    return async (connection, headers) => {
      const webSocket = acceptWebSocket(connection, tunnelProtocol, headers, clock);
      if (webSocket !== undefined) await forwardStreams(createWebSocketStream(webSocket), clock, forward);
    };
  }
  const ports = parsePorts(request.query);
  const [chosen, format] = negotiate(offered, channelProtocols);
  return async (connection, headers) => {
    const webSocket = acceptWebSocket(connection, chosen, headers, clock);
    if (webSocket !== undefined) await forwardChannels(webSocket, format, ports, forward);
  };
}
