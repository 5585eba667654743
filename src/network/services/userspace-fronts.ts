import { contains, parseNetwork } from "../../util/ipv4.ts";
import type { ServiceEndpoint } from "./endpoint-selection.ts";
import type { ExternalAddress, Protocol, ServicePort } from "./plan.ts";

/** The IPv4 addresses of the machine. */
export interface NodeAddresses {
  /** The addresses that node ports listen on. */
  readonly own: readonly string[];
  /** The networks of Pods on this machine. */
  readonly podNetworks: readonly string[];
}

/** An address and port to listen on. */
export interface Front {
  /** The name of the Service's port, for logs. */
  readonly service: string;
  readonly protocol: Protocol;
  readonly address: string;
  readonly port: number;
  /** True for a cluster IP, which the machine gets as an address. */
  readonly isClusterIP: boolean;
  /** True for a Pod's host port. */
  readonly isHostPort: boolean;
  readonly affinityMs: number;
  readonly endpoints: readonly ServiceEndpoint[];
  /** The endpoints for clients outside the cluster, if they differ. */
  readonly outside?: readonly ServiceEndpoint[];
  /** The networks of the clients that are accepted; absent: all. */
  readonly sources?: readonly string[];
}

/**
 * Returns the fronts of a plan by protocol, address and port. A front without endpoints is left out, and may
 * belong to another server (cluster DNS). Of equal fronts the first counts, cluster IPs before others.
 */
export function frontsOf(
  plan: readonly ServicePort[],
  { own }: Pick<NodeAddresses, "own">,
): ReadonlyMap<string, Front> {
  const internal = plan.flatMap((one) =>
    one.address === undefined ? [] : [{ ...front(one, one.address, one.port), isClusterIP: true }],
  );
  const external = plan.flatMap((one): Front[] => {
    if (one.external === undefined) return [];
    const { addresses, nodePort, endpoints, localEndpoints } = one.external;
    const part = { endpoints, ...(localEndpoints === undefined ? {} : { outside: localEndpoints }) };
    const onNode =
      nodePort === undefined ? [] : own.map((address) => ({ ...front(one, address, nodePort), ...part }));
    return [
      ...addresses.map(({ address, sources }: ExternalAddress) => ({
        ...front(one, address, one.port),
        ...part,
        ...(sources === undefined ? {} : { sources }),
      })),
      ...onNode,
    ];
  });
  const all = [...internal, ...external].filter(({ endpoints }) => endpoints.length > 0);
  return new Map(all.map((one) => [keyOf(one), one] as const).toReversed());
}

function front(service: ServicePort, address: string, port: number): Front {
  const { name, protocol, endpoints, affinityMs } = service;
  const isHostPort = service.address === undefined;
  return { service: name, protocol, address, port, endpoints, affinityMs, isClusterIP: false, isHostPort };
}

function keyOf({ protocol, address, port }: Front): string {
  return `${protocol}/${address}:${port}`;
}

/** Returns the endpoints for a client; undefined for a client that is not accepted. */
export function endpointsFor(
  { endpoints, outside, sources }: Pick<Front, "endpoints" | "outside" | "sources">,
  client: string,
  { own, podNetworks }: NodeAddresses,
): readonly ServiceEndpoint[] | undefined {
  if (sources !== undefined && !isWithin(client, sources)) return undefined;
  if (outside === undefined) return endpoints;
  const isInside = own.includes(client) || isWithin(client, ["127.0.0.0/8", ...podNetworks]);
  return isInside ? endpoints : outside;
}

function isWithin(address: string, networks: readonly string[]): boolean {
  return networks.some((one) => contains(parseNetwork(one), address));
}
