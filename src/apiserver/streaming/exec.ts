import type { Context } from "../context.ts";
import type { Start, Upgrade } from "../../streams/accept.ts";
import { parseCommand, parseStreams } from "./exec-options.ts";
import { containerAddress, nodeOf, readPod } from "./pod-address.ts";
import { acceptSession } from "../../streams/accept-session.ts";

/** Runs a command in a container. @throws StatusError before anything is started. */
export function acceptExec(context: Context, connection: Upgrade): Start {
  const { query } = context.request;
  const options = { ...parseStreams(query), command: parseCommand(query) };
  const { node, address } = addressOf(context);
  return acceptSession(context.request, context.services.env.clock, connection, options, {
    open: () => node.exec(address, options),
    doing: "error executing command in container",
    tellsExitCode: true,
  });
}

/** Attaches to a container's own streams. @throws StatusError before anything is started. */
export function acceptAttach(context: Context, connection: Upgrade): Start {
  const options = parseStreams(context.request.query);
  const { node, address } = addressOf(context);
  return acceptSession(context.request, context.services.env.clock, connection, options, {
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
