import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { NodeInfo } from "./node-info.ts";

/**
 * The nodes with their Pods as informers have shown them, and the Pods whose binding is under way. A Pod counts on
 * its node from the decision on, so that the next decision does not use the same room again.
 */
export class Snapshot {
  readonly #nodes = new Map<string, NodeInfo>();
  /** The name of each Pod's node, by the Pod's UID. */
  readonly #places = new Map<string, string>();
  /** The Pods on nodes that are not known (yet), by the node's name. */
  readonly #withoutNode = new Map<string, Map<string, Pod>>();
  #order: NodeInfo[] = [];

  /** All nodes, in the order in which they were added. */
  get nodes(): readonly NodeInfo[] {
    return this.#order;
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const known = this.#nodes.get(name);
    if (known !== undefined) {
      known.update(node);
      return;
    }
    const info = new NodeInfo(node);
    for (const pod of this.#withoutNode.get(name)?.values() ?? []) info.add(pod);
    this.#withoutNode.delete(name);
    this.#nodes.set(name, info);
    this.#order.push(info);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#nodes.delete(name);
    this.#order = this.#order.filter((one) => one !== info);
    if (info.pods.size > 0) this.#withoutNode.set(name, new Map(info.pods));
  }

  /** Counts the Pod on its node, also when its binding is still under way. */
  setPod(pod: Pod, nodeName: string): void {
    const { uid = "" } = pod.metadata;
    this.removePod(uid);
    this.#places.set(uid, nodeName);
    const info = this.#nodes.get(nodeName);
    if (info !== undefined) {
      info.add(pod);
      return;
    }
    const pods = this.#withoutNode.get(nodeName) ?? new Map<string, Pod>();
    this.#withoutNode.set(nodeName, pods.set(uid, pod));
  }

  removePod(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    this.#nodes.get(place)?.remove(uid);
    this.#withoutNode.get(place)?.delete(uid);
  }
}
