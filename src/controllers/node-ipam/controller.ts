import { type Node, nodes } from "../../api/core/node/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { type CidrSet, cidrSetOf, type MaskSizes } from "./cidr-set.ts";

/** The ranges from which nodes get theirs. */
export interface NodeNetwork {
  /** One range, or one of each IP family. */
  readonly clusterCIDRs: readonly string[];
  readonly maskSizes: MaskSizes;
  /** The ranges of Services' addresses, from which no node gets any. */
  readonly serviceCIDRs: readonly string[];
}

/**
 * Gives each node without a range of Pod addresses one of each cluster range (upstream `nodeipam/ipam/range_allocator.go`).
 * Acts as the node controller, as upstream.
 * @throws CidrSetError for ranges that cannot be divided
 */
export function nodeIpamController({ clusterCIDRs, maskSizes, serviceCIDRs }: NodeNetwork): Controller {
  const sets = clusterCIDRs.map((cidr) => cidrSetOf(cidr, maskSizes));
  for (const set of sets) for (const cidr of serviceCIDRs) set.occupy(cidr);
  const forEach = ({ spec }: Node, act: (set: CidrSet, cidr: string) => void) => {
    for (const [i, set] of sets.entries()) {
      const cidr = spec.podCIDRs?.[i];
      if (cidr !== undefined) act(set, cidr);
    }
  };
  /** The UIDs of nodes whose assignment the cache does not show yet: the assignment is final. */
  const assigned = new Set<string>();
  return controller({
    name: "node-controller",
    eventSource: "cidrAllocator",
    for: nodes,
    watches: [
      {
        kind: nodes,
        map: () => [],
        // Runs for all nodes before any is reconciled, so that no range in use is given to another node.
        observe: ({ type, object }) => {
          if (type === "deleted") forEach(object, (set, cidr) => set.release(cidr));
          else forEach(object, (set, cidr) => set.occupy(cidr));
          if (type === "deleted" || hasRange(object)) assigned.delete(object.metadata.uid ?? "");
        },
      },
    ],
    async reconcile({ name, cache, client, events }) {
      const node = cache.get(nodes, undefined, name);
      const uid = node?.metadata.uid ?? "";
      if (node === undefined || hasRange(node) || assigned.has(uid)) return;
      if (node.metadata.deletionTimestamp !== undefined) return;
      const podCIDRs = allocateAll(sets);
      if (podCIDRs === undefined) {
        const reason = "CIDRNotAvailable";
        events.event(node, "Normal", reason, `Node ${name} status is now: ${reason}`);
        throw new Error("Cannot give the node a range of Pod addresses: none of the cluster's is left");
      }
      assigned.add(uid);
      try {
        const patch = { metadata: { uid }, spec: { podCIDR: podCIDRs[0], podCIDRs } };
        await client.of(nodes).patch(name, patch, { type: "strategic" });
      } catch (error) {
        assigned.delete(uid);
        for (const [i, set] of sets.entries()) set.release(podCIDRs[i] ?? "");
        const reason = "CIDRAssignmentFailed";
        events.event(node, "Normal", reason, `Node ${name} status is now: ${reason}`);
        throw error;
      }
    },
  });
}

const hasRange = ({ spec }: Node) => (spec.podCIDRs ?? []).length > 0;

/** Returns one range of each set; undefined when one of them has none left. */
function allocateAll(sets: readonly CidrSet[]): readonly string[] | undefined {
  const taken = sets.map((set) => set.allocate());
  const whole = taken.filter((cidr) => cidr !== undefined);
  if (whole.length === sets.length) return whole;
  for (const [i, set] of sets.entries()) {
    const cidr = taken[i];
    if (cidr !== undefined) set.release(cidr);
  }
  return undefined;
}
