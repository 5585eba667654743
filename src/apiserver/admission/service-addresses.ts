import { type Service, services as serviceKind } from "../../api/core/service/schema.ts";
import { validateClusterIps } from "../../api/core/service/validation.ts";
import { invalid, root } from "../../meta/field-error.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { contains, type Network, nthAddress, parseNetwork } from "../../util/ipv4.ts";
import { randomInt } from "../../util/random.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

export interface ServiceRanges {
  /** IPv4 CIDR of cluster addresses. */
  readonly serviceCIDR: string;
}

const nodePorts = { first: 30_000, last: 32_767 };

/**
 * Allocates Services' cluster addresses and node ports, unique in the cluster. Each allocation reads the
 * allocated ones from the stored Services, and adds the reservations of concurrent writes.
 */
export function serviceAddresses({ serviceCIDR }: ServiceRanges): AdmissionPlugin {
  const range = parseNetwork(serviceCIDR);
  /** The reservations of concurrent writes, by the UID of their Service. */
  const held = new Map<string, Taken>();
  return {
    name: "ServiceAddresses",
    allocate(attributes, services) {
      const service = about(serviceKind, attributes)?.object;
      if (service === undefined) return;
      const { uid = "" } = service.metadata;
      const taken = takenBy(services, uid, held);
      allocateAddress(service, range, taken, services);
      allocatePorts(service, taken, services);
      if (!attributes.dryRun) held.set(uid, useOf(service.spec));
    },
    release: ({ object }) => void held.delete(object?.metadata.uid ?? ""),
  };
}

/** The addresses and ports of other Services. */
interface Taken {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

function takenBy({ reader }: AdmissionServices, except: string, held: ReadonlyMap<string, Taken>): Taken {
  const uses = [...held].filter(([uid]) => uid !== except).map(([, use]) => use);
  for (const { metadata, spec } of reader.list(serviceKind)) {
    if (metadata.uid !== except) uses.push(useOf(spec));
  }
  return {
    addresses: new Set(uses.flatMap(({ addresses }) => [...addresses])),
    ports: new Set(uses.flatMap(({ ports }) => [...ports])),
  };
}

function useOf({ clusterIPs = [], ports = [] }: Service["spec"]): Taken {
  const nodePorts = ports.map(({ nodePort }) => nodePort).filter((port) => port !== undefined);
  return { addresses: new Set(clusterIPs.filter((one) => one !== "None")), ports: new Set(nodePorts) };
}

function allocateAddress(
  service: Draft<Service>,
  range: Network,
  taken: Taken,
  { env }: AdmissionServices,
): void {
  const { spec } = service;
  if (spec.type === "ExternalName") return;
  // Validation, which comes later, refuses an invalid address.
  if (validateClusterIps(spec).next().done !== true) return;
  const wanted = spec.clusterIP ?? spec.clusterIPs?.[0] ?? "";
  const refuse = (why: string) =>
    errors.invalid(serviceKind, service.metadata.name ?? "", [
      invalid(root.child("spec", "clusterIPs"), [wanted], `failed to allocate IP ${wanted}: ${why}`),
    ]);
  if (wanted !== "None" && wanted !== "") {
    if (!contains(range, wanted)) throw refuse("the provided network does not match the current range");
    if (taken.addresses.has(wanted)) throw refuse("provided IP is already allocated");
  }
  const address = wanted === "" ? freeAddress(range, taken, env.random.next()) : wanted;
  if (address === undefined)
    throw errors.internal(new Error("failed to allocate a serviceIP: range is full"));
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  spec.ipFamilies ??= ["IPv4"];
  spec.ipFamilyPolicy ??= "SingleStack";
}

/**
 * Starts at a random address, so that a released address is not reused soon. The first addresses are reserved
 * for static allocation.
 */
function freeAddress(range: Network, { addresses }: Taken, start: number): string | undefined {
  const reserved = Math.min(Math.max(16, Math.floor(range.size / 16)), 256);
  const usable = range.size - reserved - 1;
  const offset = Math.floor(start * usable);
  for (let i = 0; i < usable; i++) {
    const address = nthAddress(range, reserved + ((offset + i) % usable));
    if (!addresses.has(address)) return address;
  }
  return undefined;
}

function allocatePorts(service: Draft<Service>, { ports }: Taken, { env }: AdmissionServices): void {
  const { type, ports: declared = [], allocateLoadBalancerNodePorts } = service.spec;
  const wants = type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
  const mine = new Map<number, number>();
  for (const [index, port] of declared.entries()) {
    if (!wants) {
      if (type === "ClusterIP") delete port.nodePort;
      continue;
    }
    const path = root.child("spec", "ports").index(index).child("nodePort");
    if (port.nodePort !== undefined && port.nodePort !== 0) {
      const problem = portProblem(port.nodePort, ports);
      if (problem === undefined) continue;
      throw errors.invalid(serviceKind, service.metadata.name ?? "", [invalid(path, port.nodePort, problem)]);
    }
    // TCP and UDP of one port number share their node port.
    const free = mine.get(port.port) ?? freePort(ports, new Set(mine.values()), env.random);
    port.nodePort = free;
    mine.set(port.port, free);
  }
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  const { first, last } = nodePorts;
  if (port < first || port > last)
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  return taken.has(port) ? "provided port is already allocated" : undefined;
}

function freePort(
  taken: ReadonlySet<number>,
  mine: ReadonlySet<number>,
  random: AdmissionServices["env"]["random"],
): number {
  const count = nodePorts.last - nodePorts.first + 1;
  const offset = randomInt(random, count);
  for (let i = 0; i < count; i++) {
    const port = nodePorts.first + ((offset + i) % count);
    if (!taken.has(port) && !mine.has(port)) return port;
  }
  throw errors.internal(new Error("failed to allocate a nodePort: range is full"));
}
