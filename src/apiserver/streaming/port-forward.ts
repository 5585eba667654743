import { createWebSocketStream } from "ws";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import { negotiate, type Start, type Upgrade } from "./accept.ts";
import type { Forward } from "./forward.ts";
import { nodeOf, podAddress, readPod } from "./pod-address.ts";
import { acceptSpdy } from "./spdy-accept.ts";
import { forwardStreams } from "./spdy-forward.ts";
import { acceptWebSocket } from "./websocket/accept.ts";
import { channelProtocols } from "./websocket/exec.ts";
import { forwardChannels, parsePorts } from "./websocket/forward.ts";

const spdyProtocol = "portforward.k8s.io";
const tunnelProtocol = `SPDY/3.1+${spdyProtocol}`;

/** Connects a client to a Pod's ports. @throws StatusError before anything is connected. */
export function acceptPortForward(context: Context, { protocol }: Upgrade): Start {
  const { namespace = "", name = "" } = context.info.resource ?? {};
  const { request, services } = context;
  const pod = readPod(context, namespace, name);
  const node = nodeOf(context, pod);
  const address = podAddress(pod);
  const forward: Forward = { pod: address, dial: (port) => node.dial(address, port) };
  const { clock } = services.env;
  if (protocol === "spdy/3.1") {
    const [chosen] = negotiate(request.headers["x-stream-protocol-version"], new Map([[spdyProtocol, true]]));
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
