import type { Service } from "../../api/core/service/schema.ts";
import type { EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { by } from "../../util/compare.ts";

/** One port of a Service with its endpoints. */
export interface ServicePort {
  /** `namespace/name:port`, for logs. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: "TCP" | "UDP";
  readonly endpoints: readonly ServiceEndpoint[];
  /** Milliseconds for which a client keeps its endpoint; 0 without session affinity. */
  readonly affinityMs: number;
}

export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

const serviceNameLabel = "kubernetes.io/service-name";
const defaultAffinitySeconds = 10_800;

/**
 * Plans the proxy's work for the cluster's Services: each cluster address and port with the endpoints that
 * serve it. Sorted, so that equal inputs give equal plans. Services without an address are left out.
 */
export function planServices(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
): readonly ServicePort[] {
  const byService = Map.groupBy(
    slices,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[serviceNameLabel]}`,
  );
  return services
    .flatMap((service) =>
      planService(service, byService.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? []),
    )
    .sort(by(({ name }) => name));
}

function planService({ metadata, spec }: Service, slices: readonly EndpointSlice[]): ServicePort[] {
  const { clusterIP = "", type, ports = [] } = spec;
  if (clusterIP === "" || clusterIP === "None" || type === "ExternalName") return [];
  const affinityMs =
    spec.sessionAffinity === "ClientIP"
      ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds) * 1000
      : 0;
  return ports.flatMap(({ name = "", port, protocol = "TCP" }): ServicePort[] => {
    if (protocol === "SCTP") return [];
    const endpoints = endpointsOf(slices, name, protocol);
    return [
      {
        name: `${metadata.namespace}/${metadata.name}:${name || port}`,
        address: clusterIP,
        port,
        protocol,
        endpoints,
        affinityMs,
      },
    ];
  });
}

/** Returns the ready endpoints; without any, the terminating ones that still serve (KEP-1669). */
function endpointsOf(
  slices: readonly EndpointSlice[],
  portName: string,
  protocol: string,
): ServiceEndpoint[] {
  const all = slices.flatMap(({ endpoints, ports, addressType }) => {
    const port = ports.find(
      (one) => (one.name ?? "") === portName && (one.protocol ?? "TCP") === protocol,
    )?.port;
    if (port === undefined || addressType !== "IPv4") return [];
    return endpoints.flatMap(({ addresses, conditions }) =>
      addresses.slice(0, 1).map((address) => ({ address, port, conditions })),
    );
  });
  const ready = all.filter(({ conditions }) => conditions.ready !== false);
  const serving = all.filter(
    ({ conditions }) => conditions.serving === true && conditions.terminating === true,
  );
  const distinct = new Map(
    (ready.length > 0 ? ready : serving).map(({ address, port }) => [
      `${address}:${port}`,
      { address, port },
    ]),
  );
  return [...distinct].sort(by(([key]) => key)).map(([, endpoint]) => endpoint);
}
