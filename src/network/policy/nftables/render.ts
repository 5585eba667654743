import {
  type AllowedPorts,
  type AllowRule,
  allowsAny,
  type Direction,
  hash,
  type LocalPod,
  type PolicyPlan,
} from "../plan.ts";
import { addressText, portText } from "../ranges.ts";

/** The facts about the machine that the rules depend on. */
export interface PolicyPlace {
  /** The Pods' bridge. */
  readonly bridge: string;
  /** The start of the names of the Pods' links on the host. */
  readonly linkPrefix: string;
}

/** Returns the name of the tables, which no other cluster's tables have. */
export function tableOf({ bridge }: PolicyPlace): string {
  return `${bridge}-policy`;
}

/** Renders the tables with their base chains, without Pods. */
export function renderBase(place: PolicyPlace): string {
  const { bridge, linkPrefix } = place;
  const table = tableOf(place);
  const base = (direction: Direction, priority: number, side: string, key: string) => [
    `  map ${direction} {`,
    "    type ipv4_addr : verdict",
    "  }",
    `  chain ${direction} {`,
    `    type filter hook forward priority ${priority};`,
    `    ${side} != "${bridge}" accept`,
    "    ct state established,related accept",
    `    ${key} vmap @${direction}`,
    // A Pod of which nothing is known yet may be isolated. No other source than a Pod's is legitimate.
    "    drop",
    "  }",
  ];
  return [
    `table ip ${table} {`,
    ...base("egress", 10, "iifname", "ip saddr"),
    ...base("ingress", 11, "oifname", "ip daddr"),
    "}",
    // IPv6 and tagged frames pass no rule of the table above.
    `table bridge ${table} {`,
    "  chain frames {",
    "    type filter hook forward priority 10;",
    `    iifname "${linkPrefix}*" oifname "${linkPrefix}*" ether type != { ip, arp } drop`,
    "  }",
    "}",
    "",
  ].join("\n");
}

/** Returns the name of a Pod's chain. */
export function podChain(direction: Direction, address: string): string {
  return `${direction}-of/${address}`;
}

/** Returns the name of the chain with a policy's rules. */
export function policyChain(direction: Direction, key: string): string {
  return `${direction}-by/${hash(key)}`;
}

/** Renders the rules for one Pod: one of its policies must accept the connection. */
export function podRules(
  pod: LocalPod,
  direction: Direction,
  plans: ReadonlyMap<string, PolicyPlan>,
): readonly string[] {
  const isolating = pod[direction];
  if (isolating === undefined) return ["accept"];
  const policies = isolating.filter((key) => {
    const plan = plans.get(key);
    return plan !== undefined && allowsAny(plan, direction);
  });
  const itself = `ip ${direction === "ingress" ? "saddr" : "daddr"} ${pod.address} accept`;
  const jumps = policies.map((key) => `jump ${policyChain(direction, key)} comment "${key.slice(0, 127)}"`);
  return [itself, ...jumps, "drop"];
}

/** Renders the rules of one policy. They are the same for every Pod that it selects. */
export function policyRules(plan: PolicyPlan, direction: Direction): readonly string[] {
  return (plan[direction] ?? []).flatMap((rule) => {
    const matches = portMatches(rule.ports);
    return peerMatches(rule.peers, direction).flatMap((peer) =>
      matches.map((ports) => [peer, ports, "accept"].filter((part) => part !== "").join(" ")),
    );
  });
}

/** Returns the alternatives for the other end; the empty match is everything. */
function peerMatches(peers: AllowRule["peers"], direction: Direction): readonly string[] {
  if (peers === undefined) return [""];
  const peer = direction === "ingress" ? "ip saddr" : "ip daddr";
  const blocks = peers.blocks.map(addressText).join(", ");
  return [...peers.sets.map((set) => `${peer} @${set}`), ...(blocks === "" ? [] : [`${peer} { ${blocks} }`])];
}

/** Returns the alternatives for the port. Named ports are those of the destination, in both directions. */
function portMatches(ports: readonly AllowedPorts[] | undefined): readonly string[] {
  if (ports === undefined) return [""];
  return ports.flatMap(({ protocol, numbers, named }) => {
    const match = `meta l4proto ${protocol.toLowerCase()}`;
    if (numbers === undefined) return [match];
    const ranges = numbers.map(portText).join(", ");
    return [
      ...(ranges === "" ? [] : [`${match} th dport { ${ranges} }`]),
      ...named.map((set) => `${match} ip daddr . th dport @${set}`),
    ];
  });
}

/** Returns the type of a set's elements: addresses of peers, or named ports with their Pods' addresses. */
export function setType(name: string): string {
  return name.startsWith("peers/") ? "ipv4_addr" : "ipv4_addr . inet_service";
}
