import { createHash } from "node:crypto";
import type { ServiceEndpoint, ServicePort } from "../plan.ts";

/** Where the rules are to work, as far as they depend on it. */
export interface Place {
  /** The bridge that the Pods are on. The table, in the family `ip`, has the same name: no other cluster's has it. */
  readonly bridge: string;
  readonly serviceCIDR: string;
  /** Whether the kernel shows the table what Pods of the bridge say to each other (br_netfilter). */
  readonly seesBridged: boolean;
  /** Whether the machine forwards packets for others anyway. */
  readonly forwards: boolean;
}

/** What a table holds. */
export interface Ruleset {
  readonly chains: readonly string[];
  /** Which client sticks to which endpoint: filled by the kernel, kept when the rules are replaced. */
  readonly sets: readonly string[];
  /** The declaration of the table: adds it all to an empty one. */
  readonly text: string;
}

interface Block {
  readonly type: "chain" | "set";
  readonly name: string;
  readonly lines: readonly string[];
}

/** The rules that make a plan come true; equal plans give equal text. In nft's own language (man 8 nft). */
export function render(plan: readonly ServicePort[], place: Place): Ruleset {
  const served = [...new Map(plan.map((port) => [chainOf(port), port])).values()].filter(
    ({ endpoints }) => endpoints.length > 0,
  );
  const blocks = [
    ...served.flatMap(servicePort),
    ...dispatch(served),
    ...refusal(place),
    masquerade(served, place),
    ...(place.forwards ? [] : [confinement(place)]),
  ];
  const named = (type: Block["type"]) =>
    blocks.filter((block) => block.type === type).map(({ name }) => name);
  return {
    chains: named("chain"),
    sets: named("set"),
    text: [`table ip ${place.bridge} {`, ...blocks.flatMap(textOf), "}", ""].join("\n"),
  };
}

function textOf({ type, name, lines }: Block): readonly string[] {
  return [`  ${type} ${name} {`, ...lines.map((line) => `    ${line}`), "  }"];
}

/** A name that tells what a chain serves; unique in the plan. */
function chainOf({ protocol, address, port }: ServicePort): string {
  return `${protocol.toLowerCase()}/${address}/${port}`;
}

function servicePort(service: ServicePort): readonly Block[] {
  return service.affinityMs > 0 ? stickyPort(service) : [spreadingPort(service)];
}

/** Each connection goes to an endpoint at random. */
function spreadingPort(service: ServicePort): Block {
  const targets = service.endpoints.map(({ address, port }) => `${address} . ${port}`);
  const target = `ip addr . port to numgen random mod ${targets.length} map ${map(targets)}`;
  return { type: "chain", name: chainOf(service), lines: [`${dnat(service)} ${target} ${comment(service)}`] };
}

/** A client's connections go where its last one went, unless that was too long ago. */
function stickyPort(service: ServicePort): readonly Block[] {
  const name = chainOf(service);
  const seconds = service.affinityMs / 1000;
  const choices = service.endpoints.map((endpoint) => {
    const chain = `${name}/${endpoint.address}/${endpoint.port}`;
    // The timeout is part of the name: that of a set cannot be changed.
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
        // Two rules: a full set must not keep clients out.
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

/** Sends the first packet of a connection, from a Pod or from the host, to the chain of its Service's port. */
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
 * Over UDP, the kernel sends a client's datagrams to one endpoint as long as they keep coming, though the endpoint
 * be gone. Flows are therefore filed under a number made of the endpoints: when these change, all begin anew.
 */
function zone(endpoints: readonly ServiceEndpoint[]): number {
  const hash = createHash("sha256").update(JSON.stringify(endpoints)).digest();
  return 1 + (hash.readUInt16BE(0) % 65_535);
}

/**
 * Refuses at once what is still for the Services' range after translation: ports without endpoints and addresses
 * that nobody has. What the machine itself answers under, such as cluster DNS, is left to it.
 */
function refusal({ serviceCIDR }: Place): readonly Block[] {
  const rule = `ip daddr ${serviceCIDR} fib daddr type != local goto refuse`;
  return [
    // Resets first: the kernel limits how many errors it sends by ICMP.
    { type: "chain", name: "refuse", lines: ["meta l4proto tcp reject with tcp reset", "reject"] },
    base("filter-prerouting", "filter", "prerouting", 0, [rule]),
    base("filter-output", "filter", "output", 0, [rule]),
  ];
}

/** Makes answers come back through this machine where they would not by themselves. */
function masquerade(served: readonly ServicePort[], { bridge, serviceCIDR, seesBridged }: Place): Block {
  const toServices = `ct original ip daddr ${serviceCIDR}`;
  const addresses = new Set(served.flatMap(({ endpoints }) => endpoints.map(({ address }) => address)));
  const hairpins = [...addresses].map((address) => `${address} . ${address}`);
  const lines = [`${toServices} oifname != { "lo", "${bridge}" } masquerade`];
  // Pods answer each other directly on the bridge: unseen, such an answer would keep the wrong source.
  if (!seesBridged) lines.push(`${toServices} oifname "${bridge}" masquerade`);
  else if (hairpins.length > 0)
    lines.push(`${toServices} oifname "${bridge}" ip saddr . ip daddr ${elements(hairpins)} masquerade`);
  return base("nat-postrouting", "nat", "postrouting", 100, lines);
}

/** The bridge forwards for Services' sake only: other packets of Pods stay on the machine, as they would without it. */
function confinement({ bridge, serviceCIDR }: Place): Block {
  const leaves = `iifname "${bridge}" oifname != "${bridge}"`;
  return base("filter-forward", "filter", "forward", 0, [
    `${leaves} ct original ip daddr ${serviceCIDR} accept`,
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

/** For people who list the table; of the length that nft allows. */
function comment({ name }: ServicePort): string {
  return `comment "${name.slice(0, 127)}"`;
}

/** Values by their place. */
function map(values: readonly string[]): string {
  return elements(values.map((value, index) => `${index} : ${value}`));
}

/** On lines of their own: nft shows the line that it refuses. */
function elements(each: readonly string[]): string {
  return `{\n${each.join(",\n")}\n}`;
}
