import { isIPv4 } from "node:net";

/** An IPv4 network as numbers, so that addresses can be counted through. */
export interface Network {
  readonly base: number;
  readonly prefix: number;
  readonly size: number;
}

/** @throws Error when it is no IPv4 CIDR with room for a gateway and a Pod. */
export function parseNetwork(cidr: string): Network {
  const [address = "", bits = ""] = cidr.split("/");
  const prefix = /^\d+$/.test(bits) ? Number(bits) : -1;
  if (!isIPv4(address) || prefix < 8 || prefix > 29) {
    throw new Error(`Cannot use Pod CIDR ${cidr}: not an IPv4 network between /8 and /29`);
  }
  const size = 2 ** (32 - prefix);
  const number = address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
  return { base: number - (number % size), prefix, size };
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

/** An address of the network by its place; 1 is the gateway. */
export function nthAddress(network: Network, index: number): string {
  return formatAddress(network.base + index);
}
