import { BlockList, isIP, type LookupFunction } from "node:net";

const special = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
] as const)
  special.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 128],
  ["::1", 128],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  special.addSubnet(network, bits, "ipv6");

/**
 * Reports if requests may be proxied to an address: not to this machine's loopback, a link-local address or a group
 * (Go `IP.IsGlobalUnicast`). Private ranges are allowed, because Pods and nodes have them.
 */
export function isGlobalUnicast(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && !special.check(address, version === 4 ? "ipv4" : "ipv6");
}

export const addressNotAllowed = "address not allowed";

/**
 * Looks a name up, and fails unless every address may be connected to. The check belongs to the lookup of the
 * connection itself: a second lookup could have another result.
 */
export function guardedLookup(
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean = isGlobalUnicast,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      if (error !== null || addresses.every(isAllowed)) done(error, found, family);
      else done(new Error(addressNotAllowed), found, family);
    });
  };
}
