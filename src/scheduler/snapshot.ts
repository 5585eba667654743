import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { NodeInfo } from "./node-info.ts";

/**
 * The cluster as the scheduler sees it: what informers told, plus Pods whose binding is under way. A Pod counts
 * on its node from the decision on, so that the next decision does not give the same room away again.
 */
export class Snapshot {
  readonly #nodes = new Map<string, NodeInfo>();
  /** Where each Pod that counts is: by UID, the node's name. */
  readonly #places = new Map<string, string>();
  /** Pods on nodes that are not known (yet). */
  readonly #homeless = new Map<string, Map<string, Pod>>();
  #order: NodeInfo[] = [];

  /** All nodes, in the order in which they came. */
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
    for (const pod of this.#homeless.get(name)?.values() ?? []) info.add(pod);
    this.#homeless.delete(name);
    this.#nodes.set(name, info);
    this.#order.push(info);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#nodes.delete(name);
    this.#order = this.#order.filter((one) => one !== info);
    if (info.pods.size > 0) this.#homeless.set(name, new Map(info.pods));
  }

  /** The Pod counts on its node; also used for one whose binding is under way. */
  setPod(pod: Pod, nodeName: string): void {
    const { uid = "" } = pod.metadata;
    this.removePod(uid);
    this.#places.set(uid, nodeName);
    const info = this.#nodes.get(nodeName);
    if (info !== undefined) {
      info.add(pod);
      return;
    }
    const waiting = this.#homeless.get(nodeName) ?? new Map<string, Pod>();
    this.#homeless.set(nodeName, waiting.set(uid, pod));
  }

  removePod(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    this.#nodes.get(place)?.remove(uid);
    this.#homeless.get(place)?.delete(uid);
  }
}
