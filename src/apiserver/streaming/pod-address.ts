import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { ContainerAddress, NodeEndpoint, PodAddress } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import { getPlain } from "../registry/read.ts";

export function readPod(context: Context, namespace: string, name: string): Pod {
  return getPlain(context, pods, namespace, name);
}

export function podAddress({ metadata }: Pod): PodAddress {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

/**
 * Returns the named container, or by default the only one (registry `core/pod` validateContainer). @throws
 * StatusError 400.
 */
export function containerAddress(pod: Pod, container: string): ContainerAddress {
  const { name } = pod.metadata;
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((one) => one.name);
  if (container !== "") {
    if (!all.includes(container))
      throw errors.badRequest(`container ${container} is not valid for pod ${name}`);
    return { ...podAddress(pod), container };
  }
  const [only] = containers;
  if (only === undefined || containers.length > 1) {
    throw errors.badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`,
    );
  }
  return { ...podAddress(pod), container: only.name };
}

/** Returns the node of the Pod. @throws StatusError. */
export function nodeOf({ services }: Context, pod: Pod): NodeEndpoint {
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") throw errors.badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  const node = services.nodes(nodeName);
  if (node === undefined) throw errors.internal(`error dialing backend: node ${nodeName} cannot be reached`);
  return node;
}
