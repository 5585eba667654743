import type { Pod } from "../../api/core/pod/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import type { Endpoint, EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { present } from "../../util/present.ts";
import { type Family, familiesOf, isHeadless } from "../services/backends.ts";
import {
  assignHints,
  isTopologyAware,
  type SliceChange,
  withoutHints,
  type ZoneShares,
} from "./topology-hints.ts";
import { type EndpointGroup, groupEndpoints, type ZoneOf } from "./endpoints.ts";

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const managedBy = "endpointslice-controller.k8s.io";
const headlessLabel = "service.kubernetes.io/headless";
/** The greatest number of endpoints in a slice: it bounds the cost of a change for each watcher. */
export const maxEndpoints = 100;

export interface Observed {
  readonly service: Service;
  /** The Pods that the Service selects. */
  readonly pods: readonly Pod[];
  /** The EndpointSlices that this controller manages for the Service. */
  readonly slices: readonly EndpointSlice[];
  readonly zoneOf: ZoneOf;
  /** The zones' shares of the CPU; undefined when they are not known. */
  readonly shares?: ZoneShares | undefined;
}

/** The writes, which touch as few slices as possible. */
export interface Plan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
  /** The reasons why topology-aware endpoints have no hints, with the family; absent without any. */
  readonly problems?: readonly string[];
}

/** Plans the EndpointSlices for the Service's endpoints. */
export function planSlices({ service, pods, slices: present, zoneOf, shares }: Observed): Plan {
  const isAware = isTopologyAware(service);
  // Hints are assigned last, so they do not count when endpoints are compared.
  const original = new Map(present.map((slice) => [isAware ? withoutHints(slice) : slice, slice]));
  const slices = [...original.keys()];
  const left = new Set(slices);
  const wanted: (readonly [EndpointSlice | undefined, EndpointSlice])[] = [];
  for (const family of familiesOf(service)) {
    const groups = groupEndpoints(service, pods, family, zoneOf);
    // A Service without endpoints has one empty slice, which shows that the controller has processed it.
    for (const group of groups.length === 0 ? [emptyGroup(family)] : groups) {
      const same = [...left].filter((slice) => fits(slice, group));
      for (const [slice, endpoints] of pack(same, group.endpoints, groups.length === 0)) {
        if (slice !== undefined) left.delete(slice);
        wanted.push([slice, sliceWith(service, group, endpoints, slice)]);
      }
    }
  }
  const spare = Map.groupBy(left, ({ addressType }) => addressType);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const changes = wanted.map(([before, after]) => ({ before: before && original.get(before), after }));
  const { hinted, problems } = isAware ? addHints(changes, shares) : { hinted: changes, problems: [] };
  for (const { before, after } of hinted) {
    // A slice that would be removed gets the endpoints of a new one.
    const reused = before === undefined ? spare.get(after.addressType)?.shift() : undefined;
    if (reused !== undefined) update.push(withMetadata(after, reused));
    else if (before === undefined) create.push(after);
    else if (!deepEqual(before, after)) update.push(after);
  }
  return { create, update, remove: [...spare.values()].flat(), ...(problems.length > 0 ? { problems } : {}) };
}

/** Hints are assigned for each family by itself. */
function addHints(changes: readonly SliceChange[], shares: ZoneShares | undefined) {
  const problems: string[] = [];
  const hinted: SliceChange[] = [];
  for (const [family, own] of Map.groupBy(changes, ({ after }) => after.addressType)) {
    const { slices, problem } = assignHints(own, shares);
    if (problem !== undefined) problems.push(`${problem}, addressType: ${family}`);
    for (const [index, after] of slices.entries()) hinted.push({ before: own[index]?.before, after });
  }
  return { hinted, problems };
}

function withMetadata(slice: EndpointSlice, { metadata }: EndpointSlice): EndpointSlice {
  const { labels = {} } = slice.metadata;
  return { ...slice, metadata: { ...metadata, labels } };
}

const emptyGroup = (family: Family): EndpointGroup => ({ family, ports: [], endpoints: [] });

function fits({ addressType, ports }: EndpointSlice, group: EndpointGroup): boolean {
  return addressType === group.family && deepEqual(ports, group.ports);
}

type Packed = readonly [slice: EndpointSlice | undefined, endpoints: readonly Endpoint[]];

/**
 * Spreads endpoints over slices. Existing endpoints keep their slice. New endpoints are added to slices that
 * change anyway, then to new slices, which they fill. The remainder is added to the fullest slice with room for all of
 * it, or else to one more slice. A slice that is not returned has become empty.
 */
function pack(
  slices: readonly EndpointSlice[],
  endpoints: readonly Endpoint[],
  keepEmpty: boolean,
): readonly Packed[] {
  const wanted = new Map(endpoints.map((endpoint) => [idOf(endpoint), endpoint]));
  const kept = slices.map((slice) => {
    const desired = slice.endpoints.flatMap((endpoint) => take(wanted, idOf(endpoint)));
    return { slice, endpoints: desired, changed: !deepEqual(desired, slice.endpoints) };
  });
  const rest = [...wanted.values()];
  const byFullness = kept.toSorted((a, b) => b.endpoints.length - a.endpoints.length);
  for (const { endpoints: into } of byFullness.filter(
    ({ changed, endpoints }) => changed && endpoints.length > 0,
  )) {
    into.push(...rest.splice(0, maxEndpoints - into.length));
  }
  const made: Packed[] = [];
  while (rest.length >= maxEndpoints) made.push([undefined, rest.splice(0, maxEndpoints)]);
  const roomy = byFullness.find(({ endpoints }) => endpoints.length + rest.length <= maxEndpoints);
  if (roomy !== undefined) roomy.endpoints.push(...rest);
  else if (rest.length > 0) made.push([undefined, rest]);
  const stay = kept.filter(({ endpoints: all }) => all.length > 0);
  const packed = [...stay.map(({ slice, endpoints: all }): Packed => [slice, all]), ...made];
  return packed.length === 0 && keepEmpty ? [[slices[0], []]] : packed;
}

function take<V>(from: Map<string, V>, key: string): V[] {
  const found = from.get(key);
  from.delete(key);
  return found === undefined ? [] : [found];
}

/** The same Pod with another address is another endpoint. */
function idOf({ targetRef, addresses }: Endpoint): string {
  return `${targetRef?.uid ?? ""} ${addresses.join()}`;
}

function sliceWith(
  service: Service,
  { family, ports }: EndpointGroup,
  endpoints: readonly Endpoint[],
  before: EndpointSlice | undefined,
): EndpointSlice {
  const { name = "", namespace } = service.metadata;
  const made = present({
    generateName: `${name}-`,
    namespace,
    ownerReferences: [controllerRef(service)],
  });
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...(before?.metadata ?? made), labels: labelsFor(service) },
    addressType: family,
    endpoints,
    ports,
  };
}

/**
 * Returns the Service's own labels, by which users find slices, and those that name the Service and the
 * manager.
 */
function labelsFor(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: service.metadata.name ?? "",
    [managedByLabel]: managedBy,
  };
}
