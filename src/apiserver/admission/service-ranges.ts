import { type ServiceCIDR, serviceCIDRs } from "../../api/networking/service-cidr/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { contains, type Network, nthAddress, parseNetwork } from "../../util/ipv4.ts";
import type { Reader } from "../resources/reader.ts";

/** The ServiceCIDR with the server's own range. */
const ownName = "kubernetes";

/**
 * The IPv4 ranges that give addresses: those of the ServiceCIDRs that are ready and not terminating (registry
 * `ipallocator/cidrallocator.go`). The server's own range is one of them as long as no object describes it.
 */
export function usableRanges(reader: Reader, own: Network): readonly Network[] {
  const all = reader.list(serviceCIDRs);
  const described = all.some(({ metadata }) => metadata.name === ownName);
  const cidrs = all.filter(isUsable).flatMap(({ spec }) => spec.cidrs ?? []);
  const ranges = cidrs.filter((cidr) => !cidr.includes(":")).map(parseNetwork);
  // The own range comes first: other ranges serve when it is full.
  const isOwn = ({ base, size }: Network) => base === own.base && size === own.size;
  return [...(described ? ranges.filter(isOwn) : [own]), ...ranges.filter((one) => !isOwn(one))];
}

function isUsable({ metadata, status }: ServiceCIDR): boolean {
  return (
    metadata.deletionTimestamp === undefined && findCondition(status.conditions, "Ready")?.status === "True"
  );
}

/** Reports whether a range gives an address: neither the network's own nor the broadcast address. */
export function gives(range: Network, address: string): boolean {
  return (
    contains(range, address) &&
    address !== nthAddress(range, 0) &&
    address !== nthAddress(range, range.size - 1)
  );
}

/**
 * Returns a free address of a range; undefined when the range is full. `start` is a random number from 0 to 1: a
 * released address is not reused soon. The first addresses are left to static allocation as long as others are free
 * (KEP-3070, registry `ipallocator/ipallocator.go`).
 */
export function freeAddress(
  range: Network,
  isTaken: (address: string) => boolean,
  start: number,
): string | undefined {
  const count = range.size - 2;
  if (count <= 0) return undefined;
  const reserved = range.size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(range.size / 16)), 256);
  const from = (first: number, size: number) => {
    const offset = Math.floor(start * size);
    for (let i = 0; i < size; i++) {
      const address = nthAddress(range, 1 + first + ((offset + i) % size));
      if (!isTaken(address)) return address;
    }
    return undefined;
  };
  return from(reserved, count - reserved) ?? from(0, reserved);
}
