import { Readable } from "node:stream";
import type { AttachOptions, ContainerAddress, LogOptions, NodeEndpoint } from "../../meta/node-endpoint.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { findLogged, findPod, findRunning, findSandbox, type NodeView } from "./find-container.ts";
import { followGrowth } from "./log-growth.ts";
import { type Growth, readLog } from "./read-log.ts";

/**
 * Serves logs, attach, exec, port forwarding and the usage of one node's containers. @throws StatusError, or the
 * runtime's own error, from every method.
 */
export function kubeletEndpoint(node: NodeView): NodeEndpoint {
  const { runtime } = node.context;
  return {
    logs: async (address, options) => logs(node, address, options),
    exec: async (address, options) => runtime.exec(findRunning(node, address).id, options),
    async attach(address, options) {
      const { id } = findRunning(node, address);
      return runtime.attach(id, asStarted(node, address, options));
    },
    dial: async (address, port) => runtime.dial(findSandbox(node, address).id, port),
    stats: async () => {
      // The nodes of one process are asked together.
      await yieldToSockets();
      return node.stats();
    },
  };
}

const still: Growth = { live: () => false, changed: () => Promise.resolve() };

function logs(node: NodeView, address: ContainerAddress, options: LogOptions): Readable {
  const { id, logPath } = findLogged(node, address, options.previous);
  // The stream may be closed without the client's signal firing: either one stops the follower.
  const closed = new AbortController();
  const signal = AbortSignal.any([options.signal, closed.signal]);
  const growth = options.follow ? followGrowth(node, { uid: address.uid, id, logPath }, signal) : still;
  const stream = Readable.from(readLog(logPath, { ...options, signal }, growth), { objectMode: false });
  return stream.once("close", () => closed.abort());
}

/** Sets `tty` from the container's spec: the terminal was made, or not, at the container's start. */
function asStarted(node: NodeView, address: ContainerAddress, options: AttachOptions): AttachOptions {
  const { spec } = findPod(node, address);
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  const tty = all.find(({ name }) => name === address.container)?.tty ?? false;
  return { ...options, tty, stderr: options.stderr && !tty };
}
