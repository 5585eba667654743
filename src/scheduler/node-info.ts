import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import {
  type Amounts,
  addAmounts,
  amountsOf,
  nonZeroRequest,
  podRequest,
  subtractAmounts,
} from "./resources.ts";

/** A host port that a Pod holds, as `ip/protocol/port`. */
export type HostPort = string;

/** A node with its Pods and the sums of their requests, which are updated Pod by Pod and never computed anew. */
export class NodeInfo {
  node: Node;
  allocatable: Amounts;
  readonly pods = new Map<string, Pod>();
  readonly requested: Amounts = new Map();
  /** The sums by which nodes are compared: as `requested`, with defaults for containers without requests. */
  readonly nonZero = { cpu: 0, memory: 0 };
  readonly ports = new Map<HostPort, number>();

  constructor(node: Node) {
    this.node = node;
    this.allocatable = amountsOf(node.status.allocatable);
  }

  get name(): string {
    return this.node.metadata.name ?? "";
  }

  update(node: Node): void {
    this.node = node;
    this.allocatable = amountsOf(node.status.allocatable);
  }

  add(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (this.pods.has(uid)) this.remove(uid);
    this.pods.set(uid, pod);
    addAmounts(this.requested, podRequest(pod));
    this.#count(pod, 1);
  }

  remove(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    subtractAmounts(this.requested, podRequest(pod));
    this.#count(pod, -1);
  }

  #count(pod: Pod, sign: 1 | -1): void {
    const { cpu, memory } = nonZeroRequest(pod);
    this.nonZero.cpu += sign * cpu;
    this.nonZero.memory += sign * memory;
    for (const port of hostPorts(pod)) {
      const count = (this.ports.get(port) ?? 0) + sign;
      if (count > 0) this.ports.set(port, count);
      else this.ports.delete(port);
    }
  }
}

/** The host ports of a Pod's containers, sidecars included. */
export function hostPorts({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...spec.containers]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostIP, protocol = "TCP", hostPort }) => `${hostIP || "0.0.0.0"}/${protocol}/${hostPort}`);
}

/** True when a port is held already. The unspecified address conflicts with every address. */
export function portTaken(held: ReadonlyMap<HostPort, number>, wanted: HostPort): boolean {
  if (held.has(wanted)) return true;
  const [ip = "", ...rest] = wanted.split("/");
  const suffix = `/${rest.join("/")}`;
  if (ip !== "0.0.0.0") return held.has(`0.0.0.0${suffix}`);
  return [...held.keys()].some((port) => port.endsWith(suffix));
}
