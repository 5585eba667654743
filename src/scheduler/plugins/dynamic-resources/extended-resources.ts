import type { Container } from "../../../api/core/pod/container.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import type { ContainerExtendedResourceRequest } from "../../../api/core/pod/status.ts";
import type { DeviceClass } from "../../../api/resource/device-class/schema.ts";
import type { DeviceRequest } from "../../../api/resource/resource-claim/device-request.ts";
import { type ResourceClaim, resourceClaims } from "../../../api/resource/resource-claim/schema.ts";
import { parseQuantity, quantityValue } from "../../../meta/quantity.ts";
import { ascending, by } from "../../../util/compare.ts";

/** The annotation of the claim for a Pod's extended resources. */
const annotation = "resource.kubernetes.io/extended-resource-claim";
/** Every class is also an extended resource of this prefix with its name. */
const implicitPrefix = "deviceclass.resource.kubernetes.io/";

export const implicitResource = ({ metadata }: DeviceClass): string => `${implicitPrefix}${metadata.name}`;

/** The classes by the extended resources for which they provide devices (KEP-5004). */
export type ClassesByResource = ReadonlyMap<string, DeviceClass>;

/** Files classes by resource; of several for one resource the newest counts (`extendedresourcecache`). */
export function classesByResource(classes: readonly DeviceClass[]): ClassesByResource {
  const found = new Map<string, DeviceClass>();
  for (const one of classes) found.set(implicitResource(one), one);
  for (const one of classes) {
    const { extendedResourceName: name } = one.spec;
    const other = name === undefined ? undefined : found.get(name);
    if (name !== undefined && (other === undefined || isPreferred(one, other))) found.set(name, one);
  }
  return found;
}

function isPreferred({ metadata: a }: DeviceClass, { metadata: b }: DeviceClass): boolean {
  const order = ascending(b.creationTimestamp ?? "", a.creationTimestamp ?? "");
  return order < 0 || (order === 0 && (a.name ?? "") < (b.name ?? ""));
}

/** Reports whether the claim was made for the Pod's extended resources. */
export function isExtendedClaim({ metadata }: ResourceClaim, pod: Pod): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return metadata.annotations?.[annotation] === "true" && owner?.uid === pod.metadata.uid;
}

/** A claim that exists only in memory until PreBind creates it. */
export interface ExtendedClaim {
  readonly claim: ResourceClaim;
  /** The requests that satisfy the containers' requests. */
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** The claim for the devices of a Pod that a node does not provide as plain resources. */
export function extendedClaim(pod: Pod, classes: ClassesByResource): ExtendedClaim {
  const { apiVersion, kind, metadata } = pod;
  const { name = "", namespace = "", uid = "" } = metadata;
  const parts = [...classes]
    .toSorted(by(([resource]) => resource))
    .map(([resource, { metadata: of }]) => requestsFor(pod, resource, of.name ?? ""));
  const requests = parts.flatMap((one) => one.requests).toSorted(by((request) => request.name));
  const claim: ResourceClaim = {
    apiVersion: resourceClaims.apiVersion,
    kind: resourceClaims.kind,
    metadata: {
      // No valid name: it cannot be that of another claim.
      name: "<extended-resources>",
      namespace,
      uid: `extended-resources-of-${uid}`,
      generateName: `${name}-extended-resources-`,
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      annotations: { [annotation]: "true" },
    },
    spec: { devices: { requests } },
    status: {},
  };
  return { claim, mappings: parts.flatMap((one) => one.mappings) };
}

interface ContainerRequest {
  readonly request: DeviceRequest | undefined;
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** The requests for one resource. Init containers use the devices of later containers first, then share some of their own. */
function requestsFor(pod: Pod, resource: string, className: string) {
  const { initContainers = [], containers } = pod.spec;
  const all = [...initContainers, ...containers];
  const isShortLived = (i: number) =>
    i < initContainers.length && initContainers[i]?.restartPolicy !== "Always";
  const wanted = { resource, className };
  const long = all.map((one, i) => (isShortLived(i) ? nothing : requestOf(one, i, wanted, [])));
  const short = all.map((one, i) =>
    isShortLived(i)
      ? requestOf(
          one,
          i,
          wanted,
          long.slice(i).flatMap(({ request }) => request ?? []),
        )
      : nothing,
  );
  const own = short.flatMap(({ request }) => request ?? []);
  const largest = own.reduce<DeviceRequest | undefined>(
    (best, one) => (best === undefined || countOf(best) < countOf(one) ? one : best),
    undefined,
  );
  const names = new Set(own.map(({ name }) => name));
  const shared = short.flatMap(({ mappings }) =>
    mappings.map((one) =>
      largest !== undefined && names.has(one.requestName) ? { ...one, requestName: largest.name } : one,
    ),
  );
  return {
    requests: [...(largest === undefined ? [] : [largest]), ...long.flatMap(({ request }) => request ?? [])],
    mappings: [...long.flatMap(({ mappings }) => mappings), ...shared],
  };
}

const nothing: ContainerRequest = { request: undefined, mappings: [] };

const countOf = ({ exactly }: DeviceRequest) => exactly?.count ?? 0;

/** The request of one container beyond the devices that it can reuse (upstream `createResourceRequestAndMappings`). */
function requestOf(
  { name: containerName, resources }: Container,
  index: number,
  { resource: resourceName, className }: { readonly resource: string; readonly className: string },
  reusable: readonly DeviceRequest[],
): ContainerRequest {
  const { requests = {} } = resources;
  const amount = Object.hasOwn(requests, resourceName) ? requests[resourceName] : undefined;
  const count = amount === undefined ? 0 : quantityValue(parseQuantity(amount));
  if (count === 0) return nothing;
  const mappings: ContainerExtendedResourceRequest[] = [];
  let reused = 0;
  for (const one of reusable) {
    reused += countOf(one);
    mappings.push({ containerName, resourceName, requestName: one.name });
    if (reused >= count) return { request: undefined, mappings };
  }
  const position = Object.keys(requests).toSorted(ascending).indexOf(resourceName);
  const requestName = `container-${index}-request-${position}`;
  mappings.push({ containerName, resourceName, requestName });
  const exactly = {
    deviceClassName: className,
    allocationMode: "ExactCount" as const,
    count: count - reused,
  };
  return { request: { name: requestName, exactly }, mappings };
}
