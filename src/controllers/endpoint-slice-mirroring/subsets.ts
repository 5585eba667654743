import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from "../../api/core/endpoints/schema.ts";
import { TerminalError } from "../../operator/errors.ts";
import { ascending, by } from "../../util/compare.ts";

/**
 * The greatest number of pairs of a port and an address. It bounds the work on one object, whose ports and addresses
 * multiply.
 */
const maxPairs = 250_000;

/** Addresses that offer exactly the same ports. */
export interface Subset {
  readonly ports: readonly EndpointPort[];
  /** The ready addresses first, each part by IP and the UID of the target. */
  readonly addresses: readonly SubsetAddress[];
}

export interface SubsetAddress {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

interface PortEntry {
  /** Undefined for addresses without ports. */
  readonly port: EndpointPort | undefined;
  readonly addresses: Map<string, SubsetAddress>;
}

/**
 * Puts subsets into their canonical form (upstream `pkg/api/v1/endpoints` RepackSubsets): each address once, and one
 * subset for all ports with the same addresses. An address that is ready and not ready on one port is not ready.
 * @throws TerminalError when there are more than 250,000 pairs of a port and an address
 */
export function repack({ metadata, subsets = [] }: Endpoints): readonly Subset[] {
  const pairs = subsets.reduce((sum, subset) => sum + pairsIn(subset), 0);
  if (pairs > maxPairs) {
    throw new TerminalError(
      `Cannot mirror Endpoints ${metadata.name}: ${pairs} pairs of a port and an address are more than ${maxPairs}`,
    );
  }
  const groups = new Map<string, { readonly ports: EndpointPort[]; readonly addresses: SubsetAddress[] }>();
  for (const { port, addresses } of byPort(subsets)) {
    const key = [...addresses]
      .map(([id, { ready }]) => JSON.stringify([id, ready]))
      .toSorted()
      .join();
    const group = groups.get(key) ?? { ports: [], addresses: [...addresses.values()].toSorted(inOrder) };
    if (port !== undefined) group.ports.push(port);
    groups.set(key, group);
  }
  return [...groups].toSorted(by(([key]) => key)).map(([, group]) => group);
}

function pairsIn({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): number {
  return (addresses.length + notReadyAddresses.length) * Math.max(1, ports.length);
}

function byPort(subsets: readonly EndpointSubset[]): Iterable<PortEntry> {
  const entries = new Map<string, PortEntry>();
  const first = new Map<string, EndpointAddress>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = portKey(port);
      const entry = entries.get(key) ?? { port, addresses: new Map<string, SubsetAddress>() };
      entries.set(key, entry);
      const add = (address: EndpointAddress, ready: boolean) => {
        const id = idOf(address);
        const known = first.get(id) ?? address;
        first.set(id, known);
        const wasReady = entry.addresses.get(id)?.ready ?? true;
        entry.addresses.set(id, { address: known, ready: ready && wasReady });
      };
      for (const address of addresses) add(address, true);
      for (const address of notReadyAddresses) add(address, false);
    }
  }
  return entries.values();
}

function portKey(port: EndpointPort | undefined): string {
  return JSON.stringify(port && [port.name, port.protocol, port.port, port.appProtocol]) ?? "";
}

/** The same address of another object is another endpoint. */
const idOf = ({ ip, targetRef }: EndpointAddress) => `${ip} ${targetRef?.uid ?? ""}`;

function inOrder(a: SubsetAddress, b: SubsetAddress): number {
  return Number(b.ready) - Number(a.ready) || ascending(idOf(a.address), idOf(b.address));
}
