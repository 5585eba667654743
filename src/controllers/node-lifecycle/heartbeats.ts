import type { Lease } from "../../api/coordination/lease/schema.ts";
import type { Node } from "../../api/core/node/schema.ts";
import { ascending } from "../../util/compare.ts";

interface Heard {
  readonly node: Node;
  /**
   * The agent's own timestamps. They are only compared with each other, because the node's clock may be
   * wrong.
   */
  readonly sign: string;
  /** The time at which this controller noticed the heartbeat, in ms since the epoch. */
  readonly at: number;
}

/** The time of each node's last heartbeat, which is its Lease or its status. */
export class Heartbeats {
  readonly #nodes = new Map<string, Heard>();

  /** Reports whether the node has not been seen before. */
  isNew({ metadata: { name = "", uid } }: Node): boolean {
    const known = this.#nodes.get(name);
    return known === undefined || known.node.metadata.uid !== uid;
  }

  /** Records the node's present heartbeat. Returns the time at which it was first seen. */
  heardAt(node: Node, lease: Lease | undefined, now: number): number {
    const { name = "" } = node.metadata;
    const beats = (node.status.conditions ?? []).map(({ lastHeartbeatTime = "" }) => lastHeartbeatTime);
    const sign = `${lease?.spec.renewTime} ${beats.toSorted(ascending).at(-1) ?? ""}`;
    const before = this.#nodes.get(name);
    const at = !this.isNew(node) && before?.sign === sign ? before.at : now;
    this.#nodes.set(name, { node, sign, at });
    return at;
  }

  /** Forgets a deleted node. Returns its last known state. */
  forget(name: string): Node | undefined {
    const node = this.#nodes.get(name)?.node;
    this.#nodes.delete(name);
    return node;
  }
}
