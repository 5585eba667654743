import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { labelOf } from "../meta/labels.ts";
import { nonZeroRequest, podRequest, Resources } from "./resources.ts";

/** A host port that a Pod holds, as `ip/protocol/port`. */
export type HostPort = string;

/** A node with its Pods and the sums of their requests, which are updated Pod by Pod and never computed anew. */
export class NodeInfo {
  node: Node;
  allocatable: Resources;
  /** The sizes in bytes of the images that the node has, by each of their names. */
  imageSizes: ReadonlyMap<string, number>;
  readonly pods = new Map<string, Pod>();
  readonly requested = new Resources();
  /** The sums by which nodes are compared: as `requested`, with defaults for containers without requests. */
  readonly nonZero = new Resources();
  readonly ports = new Map<HostPort, number>();

  constructor(node: Node) {
    this.node = node;
    this.allocatable = Resources.of(node.status.allocatable);
    this.imageSizes = imageSizesOf(node);
  }

  get name(): string {
    return this.node.metadata.name ?? "";
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? noLabels;
  }

  /** The value of one of the node's labels, whose key a user may have chosen. */
  label(key: string): string | undefined {
    return labelOf(this.node.metadata.labels, key);
  }

  update(node: Node): void {
    this.node = node;
    this.allocatable = Resources.of(node.status.allocatable);
    this.imageSizes = imageSizesOf(node);
  }

  add(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (this.pods.has(uid)) this.remove(uid);
    this.pods.set(uid, pod);
    this.#count(pod, 1);
  }

  remove(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    this.#count(pod, -1);
  }

  /** A copy whose Pods can change without changing this one. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.node);
    for (const pod of this.pods.values()) copy.add(pod);
    return copy;
  }

  #count(pod: Pod, sign: 1 | -1): void {
    this.requested.add(podRequest(pod), sign);
    this.nonZero.add(nonZeroRequest(pod), sign);
    for (const port of hostPorts(pod)) {
      const count = (this.ports.get(port) ?? 0) + sign;
      if (count > 0) this.ports.set(port, count);
      else this.ports.delete(port);
    }
  }
}

const noLabels = {};

function imageSizesOf({ status }: Node): ReadonlyMap<string, number> {
  return new Map(
    (status.images ?? []).flatMap(({ names, sizeBytes = 0 }) =>
      names.map((name) => [name, sizeBytes] as const),
    ),
  );
}

const noPorts: readonly HostPort[] = [];

/** The host ports of a Pod's containers, sidecars included. */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  let found: HostPort[] | undefined;
  for (const container of [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers]) {
    for (const { hostIP, protocol = "TCP", hostPort = 0 } of container.ports ?? []) {
      if (hostPort > 0) (found ??= []).push(`${hostIP || "0.0.0.0"}/${protocol}/${hostPort}`);
    }
  }
  return found ?? noPorts;
}

const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string | undefined }) =>
  restartPolicy === "Always";

/** True when a port is held already. The unspecified address conflicts with every address. */
export function portTaken(held: ReadonlyMap<HostPort, number>, wanted: HostPort): boolean {
  if (held.size === 0) return false;
  if (held.has(wanted)) return true;
  const [ip = "", ...rest] = wanted.split("/");
  const suffix = `/${rest.join("/")}`;
  if (ip !== "0.0.0.0") return held.has(`0.0.0.0${suffix}`);
  return [...held.keys()].some((port) => port.endsWith(suffix));
}
