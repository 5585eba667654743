import type { Pod } from "../../api/core/pod/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/endpoint-slice/schema.ts";
import { isReady } from "../pods/pod-state.ts";
import { present } from "../../util/present.ts";
import { isTopologyAware } from "./topology-hints.ts";
import { addressesOf, type Family, hasEndpoint, hostnameIn, portsOn } from "../services/backends.ts";

/** Returns a node's zone, which may be undefined; undefined when no such node exists. */
export type ZoneOf = (nodeName: string) => { readonly zone: string | undefined } | undefined;

/** Endpoints with the same ports, which may share slices. */
export interface EndpointGroup {
  readonly family: Family;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Groups the endpoints of one family by their ports (upstream `k8s.io/endpointslice`). */
export function groupEndpoints(
  service: Service,
  pods: readonly Pod[],
  family: Family,
  zoneOf: ZoneOf,
): readonly EndpointGroup[] {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!belongs(service, pod, family, zoneOf)) continue;
    const ports = portsOn(pod, service).map(present);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod, family, zoneOf));
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ family, ...group }));
}

function belongs(service: Service, pod: Pod, family: Family, zoneOf: ZoneOf): boolean {
  if (!hasEndpoint(pod, { includeTerminating: true })) return false;
  if (addressesOf(pod, family).length === 0) return false;
  // A Pod whose node is missing will be deleted. It gets no traffic, unless the Service publishes all
  // addresses.
  const { nodeName } = pod.spec;
  return (
    nodeName === undefined || zoneOf(nodeName) !== undefined || service.spec.publishNotReadyAddresses === true
  );
}

function endpointOf(service: Service, pod: Pod, family: Family, zoneOf: ZoneOf): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const { nodeName } = pod.spec;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = nodeName === undefined ? undefined : zoneOf(nodeName)?.zone;
  return present({
    addresses: addressesOf(pod, family),
    conditions: { ready, serving, terminating },
    targetRef: present({ kind: "Pod", namespace, name, uid }),
    nodeName,
    zone,
    hostname: hostnameIn(pod, service),
    hints: ready && !isTopologyAware(service) ? hintsOf(service, nodeName, zone) : undefined,
  });
}

/** The nodes and zones that `trafficDistribution` assigns the endpoint to. */
function hintsOf({ spec }: Service, node: string | undefined, zone: string | undefined): Endpoint["hints"] {
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  switch (spec.trafficDistribution) {
    case "PreferClose":
    case "PreferSameZone":
      return forZones === undefined ? undefined : { forZones };
    case "PreferSameNode":
      return node === undefined ? undefined : present({ forZones, forNodes: [{ name: node }] });
    default:
      return undefined;
  }
}
