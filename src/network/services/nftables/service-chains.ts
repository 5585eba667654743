import { by } from "../../../util/compare.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { ServiceEndpoint } from "../endpoint-selection.ts";
import type { ServicePort } from "../plan.ts";
import { type Block, listOf } from "./ruleset.ts";

/** The bit of a packet's mark that asks for masquerading; upstream's default. */
export const masqueradeMark = "0x4000";
export const setMark = `meta mark set meta mark or ${masqueradeMark}`;

/** The facts about the machine that a Service's chains depend on. */
export interface ChainPlace {
  readonly bridge: string;
  readonly seesBridged: boolean;
}

/** Returns a chain's name, which is unique in the plan. */
export function chainOf({ protocol, address, port, external }: ServicePort): string {
  const owner = address ?? `host/${external?.addresses[0]?.address ?? "any"}`;
  return `${protocol.toLowerCase()}/${owner}/${port}`;
}

/** Returns the chain of connections from outside the cluster. */
export function externalChainOf(service: ServicePort): string {
  return `${chainOf(service)}/external`;
}

/** Returns the chain that checks the clients of a load balancer's address. */
export function sourcesChainOf(service: ServicePort, address: string): string {
  return `${chainOf(service)}/from/${address}`;
}

const reachableOf = new WeakMap<ServicePort, readonly ServiceEndpoint[]>();

/** Returns all endpoints that a connection to the port may reach from this node. */
export function reachable(service: ServicePort): readonly ServiceEndpoint[] {
  const known = reachableOf.get(service);
  if (known !== undefined) return known;
  const { endpoints, external } = service;
  const all = [endpoints, external?.endpoints ?? [], external?.localEndpoints ?? []].flat();
  const found = [...new Map(all.map((one) => [`${one.address}:${one.port}`, one])).values()].sort(
    by(({ address, port }) => `${address}:${port}`),
  );
  reachableOf.set(service, found);
  return found;
}

/** The chains of each port, with the place that they were made for: most ports stay as they are. */
const rendered = new WeakMap<ServicePort, ChainPlace & { readonly blocks: readonly Block[] }>();

/** Returns the chains of a Service's port, and the sets of its session affinity. */
export function chainsOf(service: ServicePort, { bridge, seesBridged }: ChainPlace): readonly Block[] {
  const known = rendered.get(service);
  if (known?.bridge === bridge && known.seesBridged === seesBridged) return known.blocks;
  const blocks = renderPort(service, { bridge, seesBridged });
  rendered.set(service, { bridge, seesBridged, blocks });
  return blocks;
}

function renderPort(service: ServicePort, place: ChainPlace): readonly Block[] {
  const { endpoints, external } = service;
  const blocks = [
    ...(service.affinityMs > 0 ? stickyEndpoints(service) : []),
    ...pool(service, chainOf(service), endpoints),
  ];
  if (external === undefined || external.endpoints.length === 0) return blocks;
  const shares = deepEqual(endpoints, external.endpoints);
  const everywhere = shares ? chainOf(service) : `${chainOf(service)}/all`;
  if (!shares) blocks.push(...pool(service, everywhere, external.endpoints));
  if (external.localEndpoints !== undefined)
    blocks.push(...pool(service, `${chainOf(service)}/local`, external.localEndpoints));
  blocks.push({
    type: "chain",
    name: externalChainOf(service),
    lines:
      external.localEndpoints === undefined
        ? [setMark, `goto ${everywhere}`]
        : localPolicy(service, external.localEndpoints, everywhere, place),
  });
  for (const { address, sources } of external.addresses) {
    if (sources === undefined) continue;
    // A rule for each, because one set may not have networks that overlap.
    const accepted = sources.map((one) => `ip saddr ${one} goto ${externalChainOf(service)}`);
    blocks.push({ type: "chain", name: sourcesChainOf(service, address), lines: [...accepted, "drop"] });
  }
  return blocks;
}

/** Clients from outside reach local endpoints alone, which see their addresses; others reach every endpoint. */
function localPolicy(
  service: ServicePort,
  local: readonly ServiceEndpoint[],
  everywhere: string,
  { bridge, seesBridged }: ChainPlace,
): readonly string[] {
  return [
    // Without br_netfilter an answer between Pods would not be translated back.
    ...(seesBridged ? [] : [`iifname "${bridge}" ${setMark}`]),
    `iifname "${bridge}" goto ${everywhere}`,
    // Such a source may be a loopback address, which the bridge must not carry.
    `fib saddr type local ${setMark}`,
    `fib saddr type local goto ${everywhere}`,
    local.length > 0 ? `goto ${chainOf(service)}/local` : "drop",
  ];
}

/** Returns the chain that chooses one of the endpoints; none without endpoints. */
function pool(service: ServicePort, name: string, endpoints: readonly ServiceEndpoint[]): readonly Block[] {
  if (endpoints.length === 0) return [];
  if (service.affinityMs === 0) return [spread(service, name, endpoints)];
  const choices = endpoints.map((endpoint) => choiceOf(service, endpoint));
  const gotos = choices.map(({ chain }) => `goto ${chain}`);
  const lines = [
    ...choices.map(({ chain, set }) => `ip saddr @${set} goto ${chain}`),
    `numgen random mod ${choices.length} vmap ${byIndex(gotos)}`,
  ];
  return [{ type: "chain", name, lines }];
}

/** Sends each connection to a random endpoint. */
function spread(service: ServicePort, name: string, endpoints: readonly ServiceEndpoint[]): Block {
  const targets = endpoints.map(({ address, port }) => `${address} . ${port}`);
  const target = `ip addr . port to numgen random mod ${targets.length} map ${byIndex(targets)}`;
  return { type: "chain", name, lines: [`${dnat(service)} ${target} ${comment(service)}`] };
}

/** Returns the chain and the set of an endpoint's clients, which all pools of the port share. */
function choiceOf(service: ServicePort, endpoint: ServiceEndpoint) {
  const chain = `${chainOf(service)}/${endpoint.address}/${endpoint.port}`;
  const seconds = service.affinityMs / 1000;
  // The timeout is part of the name, because a set's timeout cannot be changed.
  return { chain, set: `${chain}/${seconds}s`, seconds, endpoint };
}

/** Sends a client's connections to the endpoint of its last one, until the affinity times out. */
function stickyEndpoints(service: ServicePort): readonly Block[] {
  return reachable(service).flatMap((endpoint): Block[] => {
    const { chain, set, seconds } = choiceOf(service, endpoint);
    return [
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
    ];
  });
}

function dnat({ protocol }: ServicePort): string {
  return `meta l4proto ${protocol.toLowerCase()} dnat`;
}

/** Shows the Service in listings of the table, within the length that nft allows. */
function comment({ name }: ServicePort): string {
  return `comment "${name.slice(0, 127)}"`;
}

/** Maps indexes to values. */
function byIndex(values: readonly string[]): string {
  return listOf(values.map((value, index) => `${index} : ${value}`));
}
