import { isIPv4 } from "node:net";
import type { Service } from "../../api/core/service/schema.ts";
import type { EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { by } from "../../util/compare.ts";
import { type ProxyNode, selectEndpoints, type ServiceEndpoint } from "./endpoint-selection.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";

/** One port of a Service, or a Pod's host port, with its endpoints. */
export interface ServicePort {
  /** `namespace/name:port`, for logs. */
  readonly name: string;
  /** The cluster IP; undefined for a host port. */
  readonly address: string | undefined;
  readonly port: number;
  readonly protocol: Protocol;
  /** The endpoints of the cluster IP. */
  readonly endpoints: readonly ServiceEndpoint[];
  /** True if the cluster IP has no endpoint only on this node: its packets are dropped, not refused. */
  readonly drops?: true;
  /** Milliseconds for which a client keeps its endpoint; 0 without session affinity. */
  readonly affinityMs: number;
  /** Absent when the port has a cluster IP alone. */
  readonly external?: ExternalAccess;
}

/** The ways to a port from outside the cluster. */
export interface ExternalAccess {
  /** A port on every address of the node. */
  readonly nodePort?: number;
  readonly addresses: readonly ExternalAddress[];
  /** The endpoints for all clients, or with `localEndpoints` for clients in the cluster. */
  readonly endpoints: readonly ServiceEndpoint[];
  /**
   * The endpoints of this node, for clients from outside, whose address they see
   * (`externalTrafficPolicy: Local`). Without any, these clients' packets are dropped.
   */
  readonly localEndpoints?: readonly ServiceEndpoint[];
}

/** An external IP, or the address of a load balancer that the node itself answers. */
export interface ExternalAddress {
  readonly address: string;
  /** The networks of the clients that are accepted; absent: all. */
  readonly sources?: readonly string[];
}

const serviceNameLabel = "kubernetes.io/service-name";
const defaultAffinitySeconds = 10_800;

/** A Service's plan, with the inputs that it was made from. */
interface Planned {
  readonly slices: readonly EndpointSlice[];
  readonly node: ProxyNode;
  readonly ports: readonly ServicePort[];
}

/**
 * Plans the proxy's work for the cluster's Services: each port with its addresses and the endpoints that
 * serve them. Objects are immutable, so a Service whose objects are the same as before keeps its ports, as
 * the very same values.
 */
export class ServicePlanner {
  readonly #planned = new WeakMap<Service, Planned>();

  /** Sorted, so that equal inputs give equal plans. Services without an address are left out. */
  plan(
    services: readonly Service[],
    slices: readonly EndpointSlice[],
    node: ProxyNode,
  ): readonly ServicePort[] {
    const byService = slicesByService(slices);
    return services
      .flatMap((service) => this.#portsOf(service, byService.get(keyOf(service)) ?? [], node))
      .sort(by(({ name }) => name));
  }

  #portsOf(service: Service, slices: readonly EndpointSlice[], node: ProxyNode): readonly ServicePort[] {
    const known = this.#planned.get(service);
    if (
      known?.node.name === node.name &&
      known.node.zone === node.zone &&
      known.slices.length === slices.length &&
      known.slices.every((slice, index) => slice === slices[index])
    )
      return known.ports;
    const ports = planService(service, slices, node);
    this.#planned.set(service, { slices, node, ports });
    return ports;
  }
}

export function slicesByService(slices: readonly EndpointSlice[]): Map<string, EndpointSlice[]> {
  return Map.groupBy(
    slices,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[serviceNameLabel]}`,
  );
}

export function keyOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function planService(service: Service, slices: readonly EndpointSlice[], node: ProxyNode): ServicePort[] {
  const { spec } = service;
  const { clusterIP = "", type, ports = [] } = spec;
  if (clusterIP === "" || clusterIP === "None" || type === "ExternalName") return [];
  const affinityMs =
    spec.sessionAffinity === "ClientIP"
      ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds) * 1000
      : 0;
  const addresses = externalAddresses(service);
  const opensNodePorts = type === "NodePort" || type === "LoadBalancer";
  return ports.map(({ name = "", port, protocol = "TCP", nodePort = 0 }): ServicePort => {
    const { cluster, local } = selectEndpoints(slices, name, protocol, node);
    const endpoints = spec.internalTrafficPolicy === "Local" ? local : cluster;
    const isOpen = opensNodePorts && nodePort > 0;
    return {
      name: `${keyOf(service)}:${name || port}`,
      address: clusterIP,
      port,
      protocol,
      endpoints,
      affinityMs,
      ...(endpoints.length === 0 && cluster.length > 0 ? { drops: true } : {}),
      ...(isOpen || addresses.length > 0
        ? {
            external: {
              ...(isOpen ? { nodePort } : {}),
              addresses,
              endpoints: cluster,
              ...(spec.externalTrafficPolicy === "Local" ? { localEndpoints: local } : {}),
            },
          }
        : {}),
    };
  });
}

/** Returns external IPs, and those of a load balancer unless it is a proxy itself (KEP-1860). */
function externalAddresses({ spec, status }: Service): readonly ExternalAddress[] {
  const external = (spec.externalIPs ?? []).map((address) => ({ address }));
  const sources = (spec.loadBalancerSourceRanges ?? []).map((one) => one.trim()).filter(isIPv4Network);
  const ingress = spec.type === "LoadBalancer" ? (status.loadBalancer.ingress ?? []) : [];
  const balanced = ingress
    .filter(({ ipMode }) => ipMode !== "Proxy")
    .map(({ ip = "" }) => ({ address: ip, ...(sources.length > 0 ? { sources } : {}) }));
  return [...external, ...balanced].filter(({ address }) => isIPv4(address));
}

function isIPv4Network(cidr: string): boolean {
  const [address = "", bits = ""] = cidr.split("/");
  return isIPv4(address) && /^\d{1,2}$/.test(bits) && Number(bits) <= 32;
}
