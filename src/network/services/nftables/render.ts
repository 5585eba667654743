import { createHash } from "node:crypto";
import { contains, parseNetwork } from "../../../util/ipv4.ts";
import type { ServiceEndpoint, ServicePort } from "../plan.ts";

/** The facts about the machine that the rules depend on. */
export interface Place {
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

/** The content of a table. */
export interface Ruleset {
  readonly chains: readonly string[];
  /**
   * The sets of clients with session affinity, one for each endpoint. The kernel fills them, and they are
   * kept when the rules are replaced.
   */
  readonly sets: readonly string[];
  /** The declaration of the table, which adds everything to an empty table. */
  readonly text: string;
}

interface Block {
  readonly type: "chain" | "set";
  readonly name: string;
  readonly lines: readonly string[];
}

/** Renders a plan in nft's language (man 8 nft). Equal plans give equal text. */
export function render(plan: readonly ServicePort[], place: Place): Ruleset {
  const served = [...new Map(plan.map((port) => [chainOf(port), port])).values()].filter(
    ({ endpoints }) => endpoints.length > 0,
  );
  const services = addressesOfServices(plan, place);
  const blocks = [
    ...served.flatMap(servicePort),
    ...dispatch(served),
    ...refusal(services),
    masquerade(served, services, place),
    ...(place.forwards ? [] : [confinement(services, place)]),
  ];
  const named = (type: Block["type"]) =>
    blocks.filter((block) => block.type === type).map(({ name }) => name);
  return {
    chains: named("chain"),
    sets: named("set"),
    text: [`table ip ${place.bridge} {`, ...blocks.flatMap(textOf), "}", ""].join("\n"),
  };
}

/** The range of Services, and the addresses in the plan that further ServiceCIDRs gave. */
function addressesOfServices(plan: readonly ServicePort[], { serviceCIDR }: Place): string {
  const range = parseNetwork(serviceCIDR);
  const others = new Set(plan.map(({ address }) => address).filter((address) => !contains(range, address)));
  return others.size === 0 ? serviceCIDR : elements([serviceCIDR, ...others]);
}

function textOf({ type, name, lines }: Block): readonly string[] {
  return [`  ${type} ${name} {`, ...lines.map((line) => `    ${line}`), "  }"];
}

/** Returns a chain's name, which is unique in the plan. */
function chainOf({ protocol, address, port }: ServicePort): string {
  return `${protocol.toLowerCase()}/${address}/${port}`;
}

function servicePort(service: ServicePort): readonly Block[] {
  return service.affinityMs > 0 ? stickyPort(service) : [spreadingPort(service)];
}

/** Sends each connection to a random endpoint. */
function spreadingPort(service: ServicePort): Block {
  const targets = service.endpoints.map(({ address, port }) => `${address} . ${port}`);
  const target = `ip addr . port to numgen random mod ${targets.length} map ${map(targets)}`;
  return { type: "chain", name: chainOf(service), lines: [`${dnat(service)} ${target} ${comment(service)}`] };
}

/** Sends a client's connections to the endpoint of its last one, until the affinity times out. */
function stickyPort(service: ServicePort): readonly Block[] {
  const name = chainOf(service);
  const seconds = service.affinityMs / 1000;
  const choices = service.endpoints.map((endpoint) => {
    const chain = `${name}/${endpoint.address}/${endpoint.port}`;
    // The timeout is part of the name, because a set's timeout cannot be changed.
    return { chain, set: `${chain}/${seconds}s`, endpoint };
  });
  const gotos = choices.map(({ chain }) => `goto ${chain}`);
  return [
    ...choices.flatMap(({ chain, set, endpoint }): Block[] => [
      {
        type: "set",
        name: set,
        lines: ["type ipv4_addr", "flags dynamic,timeout", `timeout ${seconds}s`],
      },
      {
        type: "chain",
        name: chain,
        // Two rules, because a failed update of a full set ends its rule and must not drop clients.
        lines: [
          `update @${set} { ip saddr }`,
          `${dnat(service)} ip to ${endpoint.address}:${endpoint.port} ${comment(service)}`,
        ],
      },
    ]),
    {
      type: "chain",
      name,
      lines: [
        ...choices.map(({ chain, set }) => `ip saddr @${set} goto ${chain}`),
        `numgen random mod ${choices.length} vmap ${map(gotos)}`,
      ],
    },
  ];
}

/**
 * Sends the first packet of a connection, from a Pod or from the host, to the chain of its Service's port.
 */
function dispatch(served: readonly ServicePort[]): readonly Block[] {
  const ports = served.map((one) => {
    const { address, protocol, port } = one;
    return `${address} . ${protocol.toLowerCase()} . ${port} : goto ${chainOf(one)}`;
  });
  const zones = served
    .filter(({ protocol }) => protocol === "UDP")
    .map(({ address, port, endpoints }) => `${address} . ${port} : ${zone(endpoints)}`);
  const services = ports.length > 0 ? [`ip daddr . meta l4proto . th dport vmap ${elements(ports)}`] : [];
  const flows = zones.length > 0 ? [`ct original zone set ip daddr . udp dport map ${elements(zones)}`] : [];
  return [
    { type: "chain", name: "services", lines: services },
    base("nat-prerouting", "nat", "prerouting", -100, ["jump services"]),
    base("nat-output", "nat", "output", -100, ["jump services"]),
    { type: "chain", name: "flows", lines: flows },
    base("raw-prerouting", "filter", "prerouting", -300, ["jump flows"]),
    base("raw-output", "filter", "output", -300, ["jump flows"]),
  ];
}

/**
 * Returns the conntrack zone of a UDP Service. As long as a client keeps sending, the kernel keeps its flow
 * on one endpoint, even a removed one. The zone is therefore a hash of the endpoints: when these change, all
 * flows start again.
 */
function zone(endpoints: readonly ServiceEndpoint[]): number {
  const hash = createHash("sha256").update(JSON.stringify(endpoints)).digest();
  return 1 + (hash.readUInt16BE(0) % 65_535);
}

/**
 * Refuses packets that are still for the Services' range after translation: those for ports without endpoints
 * and for unused addresses. Addresses of the machine itself, such as that of cluster DNS, are accepted.
 */
function refusal(services: string): readonly Block[] {
  const rule = `ip daddr ${services} fib daddr type != local goto refuse`;
  return [
    // TCP is reset first, because the kernel limits the rate of ICMP errors.
    { type: "chain", name: "refuse", lines: ["meta l4proto tcp reject with tcp reset", "reject"] },
    base("filter-prerouting", "filter", "prerouting", 0, [rule]),
    base("filter-output", "filter", "output", 0, [rule]),
  ];
}

/** Makes answers return through this machine when they otherwise would not. */
function masquerade(served: readonly ServicePort[], services: string, { bridge, seesBridged }: Place): Block {
  const toServices = `ct original ip daddr ${services}`;
  const addresses = new Set(served.flatMap(({ endpoints }) => endpoints.map(({ address }) => address)));
  const hairpins = [...addresses].map((address) => `${address} . ${address}`);
  const lines = [`${toServices} oifname != { "lo", "${bridge}" } masquerade`];
  // Pods answer each other directly on the bridge: without br_netfilter such an answer would keep the wrong
  // source.
  if (!seesBridged) lines.push(`${toServices} oifname "${bridge}" masquerade`);
  else if (hairpins.length > 0)
    lines.push(`${toServices} oifname "${bridge}" ip saddr . ip daddr ${elements(hairpins)} masquerade`);
  return base("nat-postrouting", "nat", "postrouting", 100, lines);
}

/**
 * Restricts the bridge's forwarding to Services: other packets of Pods stay on the machine, as without
 * forwarding.
 */
function confinement(services: string, { bridge }: Place): Block {
  const leaves = `iifname "${bridge}" oifname != "${bridge}"`;
  return base("filter-forward", "filter", "forward", 0, [
    `${leaves} ct original ip daddr ${services} accept`,
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

function dnat({ protocol }: ServicePort): string {
  return `meta l4proto ${protocol.toLowerCase()} dnat`;
}

/** Shows the Service in listings of the table, within the length that nft allows. */
function comment({ name }: ServicePort): string {
  return `comment "${name.slice(0, 127)}"`;
}

/** Maps indexes to values. */
function map(values: readonly string[]): string {
  return elements(values.map((value, index) => `${index} : ${value}`));
}

/** One per line, because nft prints the line that it refuses. */
function elements(each: readonly string[]): string {
  return `{\n${each.join(",\n")}\n}`;
}
