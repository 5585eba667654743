import type { Pod } from "../../api/core/pod/schema.ts";
import type { ContainerAddress, PodAddress } from "../../meta/node-endpoint.ts";
import { errors } from "../../meta/status.ts";
import type { Kubelet } from "../kubelet.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime.ts";

/** The part of the node agent that the endpoint uses, so that tests need no whole agent. */
export type NodeView = Pick<Kubelet, "pod" | "sandboxes" | "context" | "stats">;

/** Returns the Pod if its UID is the requested one: a new Pod of the same name is another object. */
export function findPod(node: NodeView, { namespace, name, uid }: PodAddress): Pod {
  const pod = node.pod(namespace, name);
  if (pod === undefined || pod.metadata.uid !== uid) throw errors.notFound(podResource, name);
  return pod;
}

/** Returns the running incarnation. @throws StatusError in upstream's words when none runs. */
export function findRunning(node: NodeView, address: ContainerAddress): ContainerStatus {
  findPod(node, address);
  const [newest] = started(node.sandboxes(address.uid), address.container);
  if (newest?.state !== "running") throw errors.internal(`container not found ("${address.container}")`);
  return newest;
}

/** Returns the sandbox that holds the network of the Pod's containers. */
export function findSandbox(node: NodeView, address: PodAddress): SandboxStatus {
  findPod(node, address);
  const sandbox = node.sandboxes(address.uid).findLast(({ state }) => state === "ready");
  if (sandbox === undefined)
    throw errors.internal(`pod not running ("${address.name}_${address.namespace}")`);
  return sandbox;
}

/**
 * Returns the incarnation whose log was requested (kubelet `validateContainerLogStatus`). @throws StatusError
 * 400.
 */
export function findLogged(node: NodeView, address: ContainerAddress, previous: boolean): ContainerStatus {
  const { container, name } = address;
  const pod = findPod(node, address);
  const [newest, before] = started(node.sandboxes(address.uid), container);
  const waiting = statusOf(pod, container)?.state?.waiting;
  const title = `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)}`;
  if (previous) {
    // Before the next start, the newest exited incarnation is already the previous one.
    const found = newest?.state === "exited" && waiting !== undefined ? newest : before;
    if (found === undefined) throw errors.badRequest(`previous terminated ${title} not found`);
    return found;
  }
  if (newest === undefined) throw errors.badRequest(`${title} is waiting to start: ${why(waiting?.reason)}`);
  return newest;
}

const podResource = { group: "", resource: "pods" };

/** Returns the incarnations that run or have run, newest first. */
function started(sandboxes: readonly SandboxStatus[], container: string): ContainerStatus[] {
  return sandboxes
    .flatMap(({ containers }) => containers)
    .filter(({ name, state }) => name === container && state !== "created")
    .sort((a, b) => b.attempt - a.attempt || b.createdAt - a.createdAt);
}

function statusOf({ status }: Pod, container: string) {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}

function why(reason = "ContainerCreating"): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  return reason === "ImagePullBackOff" ? "trying and failing to pull image" : reason;
}
