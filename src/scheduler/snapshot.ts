import type { Namespace } from "../api/core/namespace/schema.ts";
import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { deepEqual } from "../util/deep-equal.ts";
import { hasTerms, selectedKeys } from "./affinity-terms.ts";
import { NodeInfo } from "./node-info.ts";
import { Owners } from "./owners.ts";

/** A change that a scheduling class must take in. */
export type Change =
  /** A Pod came to the node (`sign` 1), or left it (-1). */
  | { readonly type: "pod"; readonly node: NodeInfo; readonly pod: Pod; readonly sign: 1 | -1 }
  /** The node itself has changed in something other than its place in the topology. */
  | { readonly type: "node"; readonly node: NodeInfo };

/**
 * The least number of changes that are remembered; one for each node is remembered in any case. A reader that is
 * further behind starts anew. Each change keeps a Pod in memory, mostly an outdated state of it.
 */
const rememberedAtLeast = 1000;

/**
 * The nodes with their Pods as informers have shown them, and the Pods whose binding is under way. A Pod counts on
 * its node from the decision on, so that the next decision does not use the same room again.
 *
 * Readers that keep something for each node follow the changes: `topology` tells them to start anew, `changesSince`
 * what has changed meanwhile.
 */
export class Snapshot {
  /** The selectors that group Pods, for their default spread. */
  readonly owners = new Owners();
  /** By image, the number of nodes that have it. */
  readonly imageCounts = new Map<string, number>();
  /** Label keys that some selector has looked at. */
  readonly selectedKeys = new Set<string>();
  readonly #nodes = new Map<string, NodeInfo>();
  /** The name of each Pod's node, by the Pod's UID. */
  readonly #places = new Map<string, string>();
  /** The Pods on nodes that are not known (yet), by the node's name. */
  readonly #withoutNode = new Map<string, Map<string, Pod>>();
  /** The Pods with terms about other Pods, by UID. */
  readonly #withTerms = new Map<string, { readonly pod: Pod; readonly node: NodeInfo }>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  /** By node, then by UID. */
  readonly #nominated = new Map<string, Map<string, Pod>>();
  /** The node's name, by the Pod's UID. */
  readonly #nominations = new Map<string, string>();
  #nominationChanges = 0;
  #order: NodeInfo[] = [];
  #topology = 0;
  /** The changes from position `#forgotten` on. */
  #changes: Change[] = [];
  #forgotten = 0;

  /** All nodes, in the order in which they were added. */
  get nodes(): readonly NodeInfo[] {
    return this.#order;
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  /**
   * Rises when what is kept for nodes must be computed anew: when nodes come, go or change their labels, their taints,
   * their images or whether Pods may be scheduled on them.
   */
  get topology(): number {
    return this.#topology;
  }

  /** The position after the last change, for `changesSince`. */
  get position(): number {
    return this.#forgotten + this.#changes.length;
  }

  /** The changes after a position; undefined when they are not all remembered any more. */
  changesSince(position: number): readonly Change[] | undefined {
    return position < this.#forgotten ? undefined : this.#changes.slice(position - this.#forgotten);
  }

  /** The Pods on known nodes that have terms about other Pods. */
  podsWithTerms(): Iterable<{ readonly pod: Pod; readonly node: NodeInfo }> {
    return this.#withTerms.values();
  }

  /** The labels of a namespace; undefined for an unknown one. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined {
    return this.#namespaces.get(name);
  }

  setNamespace({ metadata }: Namespace): void {
    const { name = "", labels = {} } = metadata;
    if (deepEqual(this.#namespaces.get(name), labels)) return;
    this.#namespaces.set(name, labels);
    // Terms select namespaces by their labels.
    this.#topology += 1;
  }

  removeNamespace(name: string): void {
    if (this.#namespaces.delete(name)) this.#topology += 1;
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const known = this.#nodes.get(name);
    if (known !== undefined) {
      const old = known.node;
      this.#countImages(known, -1);
      known.update(node);
      this.#countImages(known, 1);
      if (!samePlace(old, node)) this.#topology += 1;
      else if (!sameRoom(old, node)) this.#note({ type: "node", node: known });
      return;
    }
    const info = new NodeInfo(node);
    this.#countImages(info, 1);
    this.#nodes.set(name, info);
    this.#order.push(info);
    this.#topology += 1;
    for (const pod of this.#withoutNode.get(name)?.values() ?? []) this.#add(info, pod);
    this.#withoutNode.delete(name);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#nodes.delete(name);
    this.#countImages(info, -1);
    this.#order = this.#order.filter((one) => one !== info);
    this.#topology += 1;
    for (const uid of info.pods.keys()) this.#withTerms.delete(uid);
    if (info.pods.size > 0) this.#withoutNode.set(name, new Map(info.pods));
  }

  /** Notes that something else has changed for a node, which a plugin has found out. */
  touch(name: string): void {
    const node = this.#nodes.get(name);
    if (node !== undefined) this.#note({ type: "node", node });
  }

  /** Reserves room on a node for a Pod whose victims are terminating: less important Pods do not get it. */
  nominate(pod: Pod, nodeName: string): void {
    const { uid = "" } = pod.metadata;
    this.withdrawNomination(uid);
    const pods = this.#nominated.get(nodeName) ?? new Map<string, Pod>();
    this.#nominated.set(nodeName, pods.set(uid, pod));
    this.#nominations.set(uid, nodeName);
    this.#nominationChanges += 1;
  }

  withdrawNomination(uid: string): void {
    const nodeName = this.#nominations.get(uid);
    if (nodeName === undefined) return;
    this.#nominations.delete(uid);
    const pods = this.#nominated.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#nominated.delete(nodeName);
    this.#nominationChanges += 1;
  }

  /** The Pods for which room on a node is reserved. */
  nominatedOn(nodeName: string): readonly Pod[] {
    return [...(this.#nominated.get(nodeName)?.values() ?? [])];
  }

  /** Rises with every change of nominations. */
  get nominationChanges(): number {
    return this.#nominationChanges;
  }

  /** Counts the Pod on its node, also when its binding is still under way. */
  setPod(pod: Pod, nodeName: string): void {
    const { uid = "" } = pod.metadata;
    const info = this.#nodes.get(nodeName);
    const old = info?.pods.get(uid);
    if (info !== undefined && old !== undefined && countsAlike(old, pod)) {
      info.pods.set(uid, pod);
      return;
    }
    this.removePod(uid);
    this.#places.set(uid, nodeName);
    if (info !== undefined) {
      this.#add(info, pod);
      return;
    }
    const pods = this.#withoutNode.get(nodeName) ?? new Map<string, Pod>();
    this.#withoutNode.set(nodeName, pods.set(uid, pod));
  }

  removePod(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    this.#withoutNode.get(place)?.delete(uid);
    const node = this.#nodes.get(place);
    const pod = node?.pods.get(uid);
    if (node === undefined || pod === undefined) return;
    node.remove(uid);
    this.#withTerms.delete(uid);
    this.#note({ type: "pod", node, pod, sign: -1 });
  }

  #add(node: NodeInfo, pod: Pod): void {
    node.add(pod);
    if (hasTerms(pod)) {
      this.#withTerms.set(pod.metadata.uid ?? "", { pod, node });
      for (const key of selectedKeys(pod)) this.selectedKeys.add(key);
    }
    this.#note({ type: "pod", node, pod, sign: 1 });
  }

  #countImages({ imageSizes }: NodeInfo, sign: 1 | -1): void {
    for (const image of imageSizes.keys()) {
      const count = (this.imageCounts.get(image) ?? 0) + sign;
      if (count === 0) this.imageCounts.delete(image);
      else this.imageCounts.set(image, count);
    }
  }

  #note(change: Change): void {
    this.#changes.push(change);
    const remembered = Math.max(rememberedAtLeast, this.#order.length);
    const surplus = this.#changes.length - remembered;
    if (surplus < remembered) return;
    this.#changes = this.#changes.slice(surplus);
    this.#forgotten += surplus;
  }
}

/** True when Pods of every kind see the same of both in their rules about other nodes. */
function samePlace(a: Node, b: Node): boolean {
  return (
    a.spec.unschedulable === b.spec.unschedulable &&
    deepEqual(a.metadata.labels, b.metadata.labels) &&
    deepEqual(a.spec.taints, b.spec.taints) &&
    deepEqual(a.status.images, b.status.images)
  );
}

function sameRoom(a: Node, b: Node): boolean {
  return (
    deepEqual(a.status.allocatable, b.status.allocatable) &&
    deepEqual(a.metadata.annotations, b.metadata.annotations)
  );
}

/** True when a Pod counts on its node as it did before: most updates are of its status. */
function countsAlike(a: Pod, b: Pod): boolean {
  return (
    (a.metadata.deletionTimestamp === undefined) === (b.metadata.deletionTimestamp === undefined) &&
    deepEqual(a.metadata.labels, b.metadata.labels) &&
    deepEqual(a.spec, b.spec)
  );
}
