import { createHash } from "node:crypto";
import { type Flags, listOf, UsageError } from "../cli/flags.ts";
import { CidrSetError, cidrSetOf } from "../controllers/node-ipam/cidr-set.ts";
import type { NodeNetwork } from "../controllers/node-ipam/controller.ts";
import { type Network, parseNetwork } from "../util/ipv4.ts";

/** The flags of `node-ipam-controller`, with upstream's names. */
export const nodeNetworkFlags = {
  "cluster-cidr": {
    type: "string",
    value: "LIST",
    default: "",
    help: "Ranges from which nodes without one get their Pods' addresses: one, or one of each IP family.",
  },
  "node-cidr-mask-size-ipv4": {
    type: "int",
    value: "BITS",
    default: 24,
    help: "The prefix length of a node's IPv4 range.",
  },
  "node-cidr-mask-size-ipv6": {
    type: "int",
    value: "BITS",
    default: 64,
    help: "The prefix length of a node's IPv6 range.",
  },
} as const;

/** The flag of the addresses that load balancers get. */
export const loadBalancerFlags = {
  "load-balancer-cidr": {
    type: "string",
    value: "RANGE",
    default: "auto",
    help: "The range of load balancers' addresses: auto is one on loopback; '' leaves them to others.",
  },
} as const;

/**
 * Returns the range of load balancers' addresses; undefined without one. The automatic range is derived from
 * the cluster's directory, because clusters on one machine must not share addresses.
 * @throws UsageError for a text that is no IPv4 range
 */
export function loadBalancerRangeOf(
  { "load-balancer-cidr": cidr }: Flags<typeof loadBalancerFlags>,
  directory: string,
): Network | undefined {
  if (cidr === "") return undefined;
  if (cidr === "auto") {
    const [second = 0, third = 0] = createHash("sha256").update(directory).digest();
    return parseNetwork(`127.${1 + (second % 254)}.${third}.0/24`);
  }
  try {
    return parseNetwork(cidr);
  } catch {
    throw new UsageError(
      `--load-balancer-cidr must be an IPv4 range such as 192.0.2.0/24, not ${JSON.stringify(cidr)}`,
    );
  }
}

/** Returns the ranges for nodes; undefined without any. @throws UsageError for ranges that cannot be divided */
export function nodeNetworkOf(
  flags: Flags<typeof nodeNetworkFlags>,
): Omit<NodeNetwork, "serviceCIDRs"> | undefined {
  const clusterCIDRs = listOf(flags["cluster-cidr"]);
  if (clusterCIDRs.length === 0) return undefined;
  const maskSizes = { IPv4: flags["node-cidr-mask-size-ipv4"], IPv6: flags["node-cidr-mask-size-ipv6"] };
  const families = new Set(clusterCIDRs.map((cidr) => cidr.includes(":")));
  if (families.size < clusterCIDRs.length) {
    throw new UsageError("--cluster-cidr must be one range, or one of each IP family");
  }
  try {
    for (const cidr of clusterCIDRs) cidrSetOf(cidr, maskSizes);
  } catch (error) {
    if (error instanceof CidrSetError) throw new UsageError(`--cluster-cidr: ${error.message}`);
    throw error;
  }
  return { clusterCIDRs, maskSizes };
}
