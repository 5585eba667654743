import type { EndpointAddress, Endpoints } from "../../api/core/endpoints/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { canonicalIp, type IpFamily, ipFamily } from "../../meta/validation/ip.ts";
import { by } from "../../util/compare.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { present } from "../../util/present.ts";
import { managedByLabel, serviceNameLabel } from "../endpoint-slice/plan.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { repack, type Subset } from "./subsets.ts";

export const managedBy = "endpointslicemirroring-controller.k8s.io";
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const notMirrored = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

export interface Observed {
  readonly endpoints: Endpoints | undefined;
  readonly service: Service | undefined;
  /** The EndpointSlices that mirror these Endpoints. */
  readonly slices: readonly EndpointSlice[];
  /** The greatest number of addresses of a subset that are mirrored. */
  readonly maxEndpoints: number;
}

export interface Plan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
  /** Warnings about the Endpoints. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

/** All endpoints of one family with the same ports. They share one slice. */
interface Group {
  readonly addressType: IpFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Plans the EndpointSlices that mirror Endpoints (upstream `endpointslicemirroring/reconciler.go`). */
export function planMirror({ endpoints, service, slices, maxEndpoints }: Observed): Plan {
  if (endpoints === undefined || !isMirrored(endpoints, service)) {
    return { create: [], update: [], remove: slices, warnings: [] };
  }
  const mirrored = repack(endpoints).map((subset) => mirrorSubset(subset, maxEndpoints));
  const groups = mirrored.flatMap((one) => one.groups);
  const invalid = mirrored.reduce((sum, one) => sum + one.invalid, 0);
  const skipped = mirrored.reduce((sum, one) => sum + one.skipped, 0);
  return { ...planGroups(endpoints, groups, slices), warnings: warningsFor(invalid, skipped, maxEndpoints) };
}

function isMirrored({ metadata }: Endpoints, service: Service | undefined): boolean {
  if (metadata.labels?.[skipMirrorLabel] === "true") return false;
  if (metadata.annotations?.[leaderAnnotation] !== undefined) return false;
  return service !== undefined && service.spec.selector === undefined;
}

interface Mirrored {
  readonly groups: readonly Group[];
  readonly invalid: number;
  /** The invalid addresses and those beyond the limit. */
  readonly skipped: number;
}

function mirrorSubset({ ports, addresses }: Subset, maxEndpoints: number): Mirrored {
  const byFamily = { IPv4: new Map<string, Endpoint>(), IPv6: new Map<string, Endpoint>() };
  let added = 0;
  let invalid = 0;
  for (const { address, ready } of addresses) {
    if (added >= maxEndpoints) break;
    const family = ipFamily(address.ip);
    if (family === undefined) {
      invalid += 1;
      continue;
    }
    added += 1;
    const endpoint = endpointOf(address, ready);
    byFamily[family].set(idOf(endpoint), endpoint);
  }
  const slicePorts = ports.map(({ name = "", protocol, port, appProtocol }) =>
    present({ name, protocol, port, appProtocol }),
  );
  const groups = (["IPv4", "IPv6"] as const)
    .map((family) => ({ addressType: family, ports: slicePorts, endpoints: [...byFamily[family].values()] }))
    .filter((group) => group.endpoints.length > 0);
  return { groups, invalid, skipped: addresses.length - added };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return present({ addresses: [canonicalIp(ip)], conditions: { ready }, hostname, nodeName, targetRef });
}

/** Endpoints with the same identity are one endpoint. */
function idOf({ addresses, hostname, targetRef }: Endpoint): string {
  return JSON.stringify([addresses, hostname ?? "", targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

function warningsFor(invalid: number, skipped: number, maxEndpoints: number): Plan["warnings"] {
  const invalidText = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
  const limitText = `A max of ${maxEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
  return [
    ...(invalid > 0 ? [{ reason: "InvalidIPAddress", message: invalidText }] : []),
    ...(skipped > invalid ? [{ reason: "TooManyAddressesToMirror", message: limitText }] : []),
  ];
}

/** Each group keeps the first slice with its family and ports, or else takes over a slice that is left. */
function planGroups(endpoints: Endpoints, groups: readonly Group[], slices: readonly EndpointSlice[]) {
  const sorted = slices.toSorted(by(({ metadata }) => metadata.name ?? ""));
  const same = Map.groupBy(sorted, groupKey);
  const kept = groups.map((group) => ({ group, slice: same.get(groupKey(group))?.shift() }));
  const left = Map.groupBy([...same.values()].flat(), ({ addressType }) => addressType);
  const wanted = kept.map(({ group, slice }) => {
    const before = slice ?? left.get(group.addressType)?.shift();
    return { before, after: sliceWith(endpoints, group, before) };
  });
  const isTerminating = endpoints.metadata.deletionTimestamp !== undefined;
  return {
    create: wanted.flatMap(({ before, after }) => (before === undefined && !isTerminating ? [after] : [])),
    update: wanted.flatMap(({ before, after }) =>
      before === undefined || isUpToDate(before, after) ? [] : [after],
    ),
    remove: [...left.values()].flat(),
  };
}

function groupKey({ addressType, ports }: Pick<EndpointSlice, "addressType" | "ports">): string {
  return `${addressType} ${portsKey(ports)}`;
}

function portsKey(ports: readonly EndpointPort[]): string {
  const texts = ports.map(({ name, protocol, port, appProtocol }) =>
    JSON.stringify([name, protocol, port, appProtocol]),
  );
  return texts.toSorted().join();
}

function sliceWith(
  endpoints: Endpoints,
  { addressType, ports, endpoints: members }: Group,
  before: EndpointSlice | undefined,
): EndpointSlice {
  const { name = "", namespace, labels, annotations = {} } = endpoints.metadata;
  const mirrored = Object.entries(annotations).filter(([key]) => !notMirrored.has(key));
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...(before?.metadata ?? present({ generateName: `${name}-`, namespace })),
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedBy },
      annotations: Object.fromEntries(mirrored),
      ownerReferences: [controllerRef(endpoints)],
    },
    addressType,
    endpoints: members,
    ports,
  };
}

/** Compares what is mirrored. Others may add owners, but Endpoints that were created again are a new owner. */
function isUpToDate(before: EndpointSlice, after: EndpointSlice): boolean {
  return deepEqual(content(before), content(after)) && !hasStaleOwner(before, after);
}

function content({ metadata, endpoints, ports }: EndpointSlice) {
  const { labels = {}, annotations = {} } = metadata;
  return { labels, annotations, ports: portsKey(ports), endpoints: endpoints.toSorted(by(idOf)) };
}

function hasStaleOwner(before: EndpointSlice, after: EndpointSlice): boolean {
  const owner = after.metadata.ownerReferences?.[0];
  return (before.metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) => kind === owner?.kind && name === owner.name && uid !== owner.uid,
  );
}
