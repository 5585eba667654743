import type { Lease } from "../../api/coordination/lease/schema.ts";
import type { Node } from "../../api/core/node/schema.ts";
import { ascending } from "../../util/compare.ts";

interface Heard {
  readonly node: Node;
  /** The agent's own times. They are only compared with each other: its clock may be off. */
  readonly sign: string;
  /** When that sign was noticed here, in ms since the epoch. */
  readonly at: number;
}

/** When each node's agent was last heard of, by its Lease or its status. */
export class Heartbeats {
  readonly #nodes = new Map<string, Heard>();

  /** Whether the node has not been seen before. */
  isNew({ metadata: { name = "", uid } }: Node): boolean {
    const known = this.#nodes.get(name);
    return known === undefined || known.node.metadata.uid !== uid;
  }

  /** Takes in what the node shows now; answers with when that was first seen. */
  heardAt(node: Node, lease: Lease | undefined, now: number): number {
    const { name = "" } = node.metadata;
    const beats = (node.status.conditions ?? []).map(({ lastHeartbeatTime = "" }) => lastHeartbeatTime);
    const sign = `${lease?.spec.renewTime} ${beats.toSorted(ascending).at(-1) ?? ""}`;
    const before = this.#nodes.get(name);
    const at = !this.isNew(node) && before?.sign === sign ? before.at : now;
    this.#nodes.set(name, { node, sign, at });
    return at;
  }

  /** The node is gone; answers with how it was last seen. */
  forget(name: string): Node | undefined {
    const node = this.#nodes.get(name)?.node;
    this.#nodes.delete(name);
    return node;
  }
}
