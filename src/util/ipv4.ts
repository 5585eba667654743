import { isIPv4 } from "node:net";

/** An IPv4 network in numbers, for enumerating its addresses. */
export interface Network {
  readonly base: number;
  readonly prefix: number;
  readonly size: number;
}

/** @throws Error when it is no IPv4 CIDR */
export function parseNetwork(cidr: string): Network {
  const [address = "", bits = ""] = cidr.split("/");
  const prefix = /^\d+$/.test(bits) ? Number(bits) : -1;
  if (!isIPv4(address) || prefix < 0 || prefix > 32)
    throw new Error(`Cannot use ${cidr}: not an IPv4 network`);
  const size = 2 ** (32 - prefix);
  const number = addressNumber(address);
  return { base: number - (number % size), prefix, size };
}

/** Parses a network of Pods. @throws Error when it is no IPv4 CIDR with room for a gateway and a Pod */
export function parsePodNetwork(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (network.prefix >= 8 && network.prefix <= 29) return network;
  throw new Error(`Cannot use Pod CIDR ${cidr}: not an IPv4 network between /8 and /29`);
}

export function contains({ base, size }: Network, address: string): boolean {
  if (!isIPv4(address)) return false;
  const number = addressNumber(address);
  return number >= base && number < base + size;
}

/** Returns the address at an index; 1 is the gateway of a Pod network. */
export function nthAddress(network: Network, index: number): string {
  return formatAddress(network.base + index);
}

function addressNumber(address: string): number {
  return address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}
