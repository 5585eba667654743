import { createHash } from "node:crypto";
import { contains, parseNetwork } from "../../../util/ipv4.ts";
import type { ServicePort } from "../plan.ts";
import { type Block, listOf, type Ruleset, rulesetOf } from "./ruleset.ts";
import {
  type ChainPlace,
  chainOf,
  chainsOf,
  externalChainOf,
  masqueradeMark,
  reachable,
  sourcesChainOf,
} from "./service-chains.ts";

/** The facts about the machine that the rules depend on. */
export interface Place extends ChainPlace {
  /**
   * The Pods' bridge. The table, in the family `ip`, has the same name, which no other cluster's table has.
   */
  readonly bridge: string;
  readonly serviceCIDR: string;
  /** True if the kernel passes packets between Pods of the bridge to the table (br_netfilter). */
  readonly seesBridged: boolean;
  /** True if the machine forwards packets already. */
  readonly forwards: boolean;
}

/** Renders a plan in nft's language (man 8 nft). Equal plans give equal rules. */
export function render(plan: readonly ServicePort[], place: Place): Ruleset {
  const ports = [...new Map(plan.map((port) => [chainOf(port), port])).values()];
  const services = addressesOfServices(ports, place);
  return rulesetOf([
    ...ports.flatMap((port) => chainsOf(port, place)),
    ...dispatch(ports, services),
    ...zones(ports, services),
    ...refusal(ports, services),
    ...masquerade(ports, services, place),
    loopbackGuard(place),
    ...(place.forwards ? [] : [confinement(place)]),
  ]);
}

/** The range of Services, and the addresses in the plan that further ServiceCIDRs gave. */
function addressesOfServices(ports: readonly ServicePort[], { serviceCIDR }: Place): string {
  const range = parseNetwork(serviceCIDR);
  const others = new Set(ports.flatMap(({ address }) => address ?? [])).values();
  const beyond = [...others].filter((address) => !contains(range, address));
  return beyond.length === 0 ? serviceCIDR : listOf([serviceCIDR, ...beyond]);
}

/** Returns elements of a map; of equal keys the first counts, so that nobody takes over another's address. */
function elementsOf(entries: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(entries.toReversed());
}

const protocolOf = ({ protocol }: ServicePort) => protocol.toLowerCase();

/** Sends the first packet of a connection, from a Pod, the host or outside, to the chain of its port. */
function dispatch(ports: readonly ServicePort[], services: string): readonly Block[] {
  const internal = ports
    .filter(({ endpoints }) => endpoints.length > 0)
    .flatMap((one) =>
      one.address === undefined
        ? []
        : [[`${one.address} . ${protocolOf(one)} . ${one.port}`, `goto ${chainOf(one)}`] as const],
    );
  const open = ports.filter(({ external }) => external !== undefined && external.endpoints.length > 0);
  const external = open.flatMap((one) =>
    (one.external?.addresses ?? []).map(({ address, sources }) => {
      const chain = sources === undefined ? externalChainOf(one) : sourcesChainOf(one, address);
      return [`${address} . ${protocolOf(one)} . ${one.port}`, `goto ${chain}`] as const;
    }),
  );
  const node = open.flatMap((one) =>
    (one.external?.nodePort ?? 0) > 0
      ? [[`${protocolOf(one)} . ${one.external?.nodePort}`, `goto ${externalChainOf(one)}`] as const]
      : [],
  );
  return [
    addressMap("addresses", elementsOf([...internal, ...external])),
    portMap("node-ports", elementsOf(node)),
    {
      type: "chain",
      name: "services",
      lines: [
        "ip daddr . meta l4proto . th dport vmap @addresses",
        `${toNode(services)} meta l4proto . th dport vmap @node-ports`,
      ],
    },
    base("nat-prerouting", "nat", "prerouting", -100, ["jump services"]),
    base("nat-output", "nat", "output", -100, ["jump services"]),
  ];
}

/** Matches packets for the node's own addresses, other than that of cluster DNS. */
function toNode(services: string): string {
  return `fib daddr type local ip daddr != ${services}`;
}

function addressMap(name: string, elements: ReadonlyMap<string, string>): Block {
  return { type: "map", name, lines: ["type ipv4_addr . inet_proto . inet_service : verdict"], elements };
}

function portMap(name: string, elements: ReadonlyMap<string, string>): Block {
  return { type: "map", name, lines: ["type inet_proto . inet_service : verdict"], elements };
}

/**
 * Gives each UDP port a conntrack zone. As long as a client keeps sending, the kernel keeps its flow on one
 * endpoint, even a removed one. The zone is therefore a hash of the endpoints: when these change, all flows
 * start again.
 */
function zones(ports: readonly ServicePort[], services: string): readonly Block[] {
  const served = ports
    .filter(({ protocol }) => protocol === "UDP")
    .map((port) => ({ port, endpoints: reachable(port) }))
    .filter(({ endpoints }) => endpoints.length > 0)
    .map(({ port, endpoints }) => ({ ...port, zone: hashOf(endpoints) }));
  const addresses = served.flatMap(({ address, port, external, zone }) =>
    [address ?? [], ...(external?.addresses ?? []).map((one) => one.address)]
      .flat()
      .map((one) => [`${one} . ${port}`, zone] as const),
  );
  const node = served.flatMap(({ external, zone }) =>
    external?.nodePort === undefined ? [] : [[String(external.nodePort), zone] as const],
  );
  // Maps of the rules themselves: not every nft can declare one with this type of value.
  const zonesOf = (entries: ReadonlyMap<string, string>) =>
    listOf([...entries].map(([key, zone]) => `${key} : ${zone}`));
  const lines = [
    ...(addresses.length === 0
      ? []
      : [`ct original zone set ip daddr . udp dport map ${zonesOf(elementsOf(addresses))}`]),
    ...(node.length === 0
      ? []
      : [`${toNode(services)} ct original zone set udp dport map ${zonesOf(elementsOf(node))}`]),
  ];
  return [
    { type: "chain", name: "flows", lines },
    base("raw-prerouting", "filter", "prerouting", -300, ["jump flows"]),
    base("raw-output", "filter", "output", -300, ["jump flows"]),
  ];
}

function hashOf(endpoints: object): string {
  const hash = createHash("sha256").update(JSON.stringify(endpoints)).digest();
  return String(1 + (hash.readUInt16BE(0) % 65_535));
}

/**
 * Refuses packets that are still for a Service after translation: those for ports without endpoints, and for
 * unused addresses of the Services' range. Addresses of the machine itself, such as that of cluster DNS, are
 * accepted.
 */
function refusal(ports: readonly ServicePort[], services: string): readonly Block[] {
  const dropped = ports.flatMap((one) =>
    one.drops === true ? [[`${one.address} . ${protocolOf(one)} . ${one.port}`, "drop"] as const] : [],
  );
  const closed = ports.filter(({ external }) => external?.endpoints.length === 0);
  const addresses = closed.flatMap((one) =>
    (one.external?.addresses ?? []).map(
      ({ address }) => [`${address} . ${protocolOf(one)} . ${one.port}`, "goto refuse"] as const,
    ),
  );
  const node = closed.flatMap((one) =>
    one.external?.nodePort === undefined
      ? []
      : [[`${protocolOf(one)} . ${one.external.nodePort}`, "goto refuse"] as const],
  );
  const rules = [
    "ip daddr . meta l4proto . th dport vmap @refused",
    `${toNode(services)} meta l4proto . th dport vmap @refused-node-ports`,
    `ip daddr ${services} fib daddr type != local goto refuse`,
  ];
  return [
    // TCP is reset first, because the kernel limits the rate of ICMP errors.
    { type: "chain", name: "refuse", lines: ["meta l4proto tcp reject with tcp reset", "reject"] },
    addressMap("refused", elementsOf([...dropped, ...addresses])),
    portMap("refused-node-ports", elementsOf(node)),
    base("filter-prerouting", "filter", "prerouting", 0, rules),
    base("filter-output", "filter", "output", 0, rules),
  ];
}

/** Makes answers return through this machine when they otherwise would not. */
function masquerade(
  ports: readonly ServicePort[],
  services: string,
  { bridge, seesBridged }: Place,
): readonly Block[] {
  const toServices = `ct original ip daddr ${services}`;
  const lines = [
    `meta mark and ${masqueradeMark} == ${masqueradeMark} masquerade`,
    `${toServices} oifname != { "lo", "${bridge}" } masquerade`,
    `oifname "${bridge}" ip saddr . ip daddr @hairpins masquerade`,
  ];
  // Pods answer each other directly on the bridge: without br_netfilter such an answer would keep the wrong
  // source.
  if (!seesBridged) lines.push(`${toServices} oifname "${bridge}" masquerade`);
  const addresses = ports.flatMap((port) => reachable(port).map(({ address }) => address));
  const hairpins = new Map(addresses.map((address) => [`${address} . ${address}`, ""]));
  return [
    { type: "list", name: "hairpins", lines: ["type ipv4_addr . ipv4_addr"], elements: hairpins },
    base("nat-postrouting", "nat", "postrouting", 100, lines),
  ];
}

/**
 * Keeps Pods off the host's loopback addresses, which the bridge routes so that the host reaches node ports
 * there (CVE-2020-8558).
 */
function loopbackGuard({ bridge }: Place): Block {
  const fromPods = `iifname "${bridge}"`;
  return base("loopback-guard", "filter", "prerouting", -301, [
    `${fromPods} ip daddr 127.0.0.0/8 drop`,
    `${fromPods} ip saddr 127.0.0.0/8 drop`,
  ]);
}

/**
 * Restricts the bridge's forwarding to translated connections: other packets of Pods stay on the machine, as
 * without forwarding.
 */
function confinement({ bridge }: Place): Block {
  const leaves = `iifname "${bridge}" oifname != "${bridge}"`;
  return base("filter-forward", "filter", "forward", 0, [
    `${leaves} ct status dnat accept`,
    `${leaves} drop`,
  ]);
}

function base(
  name: string,
  type: "nat" | "filter",
  hook: string,
  priority: number,
  lines: readonly string[],
): Block {
  return { type: "chain", name, lines: [`type ${type} hook ${hook} priority ${priority};`, ...lines] };
}
