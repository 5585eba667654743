import type { Duplex } from "node:stream";
import type { PodAddress } from "../../meta/node-endpoint.ts";
import { forwardProtocol, openPort } from "../../streams/client-port.ts";
import { forwardPath } from "./queries.ts";
import { connectSpdy, type Kubelet } from "./spdy.ts";

/**
 * Opens a connection to a Pod's port through its kubelet. Each has a SPDY connection of its own, so that none waits
 * for another. The stream fails with the kubelet's text when the port does. @throws StatusError
 */
export async function dialPort(kubelet: Kubelet, pod: PodAddress, port: number): Promise<Duplex> {
  return openPort(await connectSpdy(kubelet, forwardPath(pod), forwardProtocol), port);
}
