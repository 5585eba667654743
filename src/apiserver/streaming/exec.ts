import type { AttachOptions } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import { negotiate, type Start, type Upgrade } from "./accept.ts";
import { parseCommand, parseStreams } from "./exec-options.ts";
import { containerAddress, nodeOf, readPod } from "./pod-address.ts";
import { runSession, type SessionStart } from "./session.ts";
import { acceptSpdyExec } from "./spdy-exec.ts";
import { acceptWebSocket } from "./websocket/accept.ts";
import { channelProtocols, channelStreams } from "./websocket/exec.ts";

/** Runs a command in a container. @throws StatusError before anything is started. */
export function acceptExec(context: Context, connection: Upgrade): Start {
  const { query } = context.request;
  const options = { ...parseStreams(query), command: parseCommand(query) };
  const { node, address } = addressOf(context);
  return acceptSession(context, connection, options, {
    open: () => node.exec(address, options),
    doing: "error executing command in container",
    tellsExitCode: true,
  });
}

/** Attaches to a container's own streams. @throws StatusError before anything is started. */
export function acceptAttach(context: Context, connection: Upgrade): Start {
  const options = parseStreams(context.request.query);
  const { node, address } = addressOf(context);
  return acceptSession(context, connection, options, {
    open: () => node.attach(address, options),
    doing: "error attaching to container",
    tellsExitCode: false,
  });
}

function addressOf(context: Context) {
  const { namespace = "", name = "" } = context.info.resource ?? {};
  const pod = readPod(context, namespace, name);
  const address = containerAddress(pod, context.request.query.get("container") ?? "");
  return { address, node: nodeOf(context, pod) };
}

function acceptSession(
  { request, services }: Context,
  { protocol }: Upgrade,
  options: AttachOptions,
  start: SessionStart,
): Start {
  if (protocol === "spdy/3.1") return acceptSpdyExec(request, services.env.clock, options, start);
  if (protocol === undefined) throw errors.badRequest("Upgrade request required");
  const [name, format] = negotiate(request.headers["sec-websocket-protocol"], channelProtocols);
  return async (connection, headers) => {
    const webSocket = acceptWebSocket(connection, name, headers, services.env.clock);
    if (webSocket !== undefined) await runSession(channelStreams(webSocket, format, options), start);
  };
}
