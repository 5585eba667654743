import type { ApiRequest } from "../meta/exchange.ts";
import type { AttachOptions } from "../meta/node-endpoint.ts";
import { errors } from "../meta/status.ts";
import type { Clock } from "../util/clock.ts";
import { negotiate, type Start, type Upgrade } from "./accept.ts";
import { runSession, type SessionStart } from "./session.ts";
import { acceptSpdyExec } from "./spdy-exec.ts";
import { acceptWebSocket } from "./websocket/accept.ts";
import { channelProtocols, channelStreams } from "./websocket/exec.ts";

/** Serves an exec or attach over SPDY or WebSocket. @throws StatusError before anything is started */
export function acceptSession(
  request: ApiRequest,
  clock: Clock,
  { protocol }: Upgrade,
  options: AttachOptions,
  start: SessionStart,
): Start {
  if (protocol === "spdy/3.1") return acceptSpdyExec(request, clock, options, start);
  if (protocol === undefined) throw errors.badRequest("Upgrade request required");
  const [name, format] = negotiate(request.headers["sec-websocket-protocol"], channelProtocols);
  return async (connection, headers) => {
    const webSocket = acceptWebSocket(connection, name, headers, clock);
    if (webSocket !== undefined) await runSession(channelStreams(webSocket, format, options), start);
  };
}
