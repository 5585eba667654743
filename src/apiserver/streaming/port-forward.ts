import { acceptForward } from "../../streams/accept-forward.ts";
import type { Start, Upgrade } from "../../streams/accept.ts";
import type { Context } from "../context.ts";
import { nodeOf, podAddress, readPod } from "./pod-address.ts";

/** Connects a client to a Pod's ports. @throws StatusError before anything is connected. */
export function acceptPortForward(context: Context, connection: Upgrade): Start {
  const { namespace = "", name = "" } = context.info.resource ?? {};
  const { request, services } = context;
  const pod = readPod(context, namespace, name);
  const node = nodeOf(context, pod);
  const address = podAddress(pod);
  return acceptForward(request, services.env.clock, connection, {
    pod: address,
    dial: (port) => node.dial(address, port),
  });
}
