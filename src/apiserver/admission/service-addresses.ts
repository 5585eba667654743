import { type Service, services as serviceKind } from "../../api/core/service/schema.ts";
import { validateClusterIps } from "../../api/core/service/validation.ts";
import { addressRecord } from "../../api/networking/ip-address/record.ts";
import { ipAddresses } from "../../api/networking/ip-address/schema.ts";
import { invalid, root } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { type Network, parseNetwork } from "../../util/ipv4.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { allocatePorts } from "./node-ports.ts";
import { about, type AdmissionPlugin, type Attributes, type Companion } from "./plugin.ts";
import { freeAddress, gives, usableRanges } from "./service-ranges.ts";

export interface ServiceRanges {
  /** IPv4 CIDR of cluster addresses. */
  readonly serviceCIDR: string;
}

/**
 * Allocates Services' cluster addresses and node ports, unique in the cluster. Each address is recorded in an
 * IPAddress, which is stored together with the Service. The reservations of concurrent writes count as allocated.
 */
export function serviceAddresses({ serviceCIDR }: ServiceRanges): AdmissionPlugin {
  const own = parseNetwork(serviceCIDR);
  /** The reservations of concurrent writes, by the UID of their Service or IPAddress. */
  const held = new Map<string, Use>();
  return {
    name: "ServiceAddresses",
    allocate(attributes, services) {
      holdNewAddress(attributes, held);
      const request = about(serviceKind, attributes);
      const service = request?.object;
      if (service === undefined) return;
      const { uid = "" } = service.metadata;
      const taken = takenBy(services, uid, held);
      allocateAddress(service, new Set(request?.old?.spec.clusterIPs), own, taken, services);
      allocatePorts(service, taken.ports, services);
      if (!attributes.dryRun) held.set(uid, useOf(service.spec));
    },
    release: ({ object }) => void held.delete(object?.metadata.uid ?? ""),
    companions({ resource, old, next }) {
      if (resource.kind !== serviceKind) return [];
      // Safe: the kind's schema has decoded all objects of its resource.
      return recordsOf(old as KubeObject<Service> | undefined, next as KubeObject<Service> | undefined);
    },
  };
}

/** Reserves the address of an IPAddress that a client creates. @throws StatusError when a Service gets it */
function holdNewAddress(attributes: Attributes, held: Map<string, Use>): void {
  const object = about(ipAddresses, attributes)?.object;
  if (object === undefined || attributes.operation !== "CREATE" || attributes.dryRun) return;
  const { name = "", uid = "" } = object.metadata;
  for (const { addresses } of held.values()) {
    if (addresses.has(name)) throw errors.alreadyExists(attributes.resource.name, name);
  }
  held.set(uid, { addresses: new Set([name]), ports: new Set() });
}

/** The addresses and ports that Services use. */
interface Use {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

function takenBy({ reader }: AdmissionServices, except: string, held: ReadonlyMap<string, Use>): Use {
  const uses = [...held].filter(([uid]) => uid !== except).map(([, use]) => use);
  for (const { metadata, spec } of reader.list(serviceKind)) {
    if (metadata.uid !== except) uses.push(useOf(spec));
  }
  return {
    addresses: new Set(uses.flatMap(({ addresses }) => [...addresses])),
    ports: new Set(uses.flatMap(({ ports }) => [...ports])),
  };
}

function useOf({ clusterIPs = [], ports = [] }: Service["spec"]): Use {
  const nodePorts = ports.map(({ nodePort }) => nodePort).filter((port) => port !== undefined);
  return { addresses: new Set(addressesOf(clusterIPs)), ports: new Set(nodePorts) };
}

const addressesOf = (clusterIPs: readonly string[] = []) => clusterIPs.filter((one) => one !== "None");

/** `before` are the addresses that the Service has already. */
function allocateAddress(
  { metadata, spec }: Draft<Service>,
  before: ReadonlySet<string>,
  own: Network,
  taken: Use,
  { env, reader }: AdmissionServices,
): void {
  if (spec.type === "ExternalName") return;
  // Validation, which comes later, refuses an invalid address.
  if (validateClusterIps(spec).next().done !== true) return;
  const isTaken = (address: string) =>
    taken.addresses.has(address) || reader.get(ipAddresses, "", address) !== undefined;
  const wanted = spec.clusterIP ?? spec.clusterIPs?.[0] ?? "";
  const refuse = (why: string) =>
    errors.invalid(serviceKind, metadata.name ?? "", [
      invalid(root.child("spec", "clusterIPs"), [wanted], `failed to allocate IP ${wanted}: ${why}`),
    ]);
  let address: string | undefined = wanted;
  if (wanted !== "None" && !before.has(wanted)) {
    const ranges = usableRanges(reader, own);
    if (wanted === "") address = firstFree(ranges, isTaken, env.random.next());
    else if (!ranges.some((range) => gives(range, wanted)))
      throw refuse("the provided network does not match the current range");
    else if (isTaken(wanted)) throw refuse("provided IP is already allocated");
  }
  if (address === undefined) {
    const why = `failed to allocate a serviceIP for Service ${JSON.stringify(metadata.name ?? "")}: range is full`;
    throw errors.internal(new Error(why));
  }
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  spec.ipFamilies ??= ["IPv4"];
  spec.ipFamilyPolicy ??= "SingleStack";
}

function firstFree(
  ranges: readonly Network[],
  isTaken: (address: string) => boolean,
  start: number,
): string | undefined {
  for (const range of ranges) {
    const address = freeAddress(range, isTaken, start);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** The IPAddresses of a Service's new addresses, and the deletions of those that it no longer has. */
function recordsOf(
  old: KubeObject<Service> | undefined,
  next: KubeObject<Service> | undefined,
): readonly Companion[] {
  const before = new Set(addressesOf(old?.spec.clusterIPs));
  const now = new Set(addressesOf(next?.spec.clusterIPs));
  const records: Companion[] = [];
  for (const name of before) {
    if (!now.has(name)) records.push({ type: "delete", kind: ipAddresses, name });
  }
  for (const name of now) {
    if (next === undefined || before.has(name)) continue;
    records.push({ type: "create", kind: ipAddresses, name, object: addressRecord(name, next) });
  }
  return records;
}
