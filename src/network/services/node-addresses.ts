import { networkInterfaces } from "node:os";
import type { NodeAddresses } from "./userspace-fronts.ts";

/** Returns the machine's addresses, except those that `isHeld` for Services. */
export function machineAddresses(bridge: string, isHeld: (address: string) => boolean): NodeAddresses {
  const found = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ family, address, cidr }) =>
      family === "IPv4" ? [{ address, cidr, isPods: name === bridge }] : [],
    ),
  );
  return {
    own: found.map(({ address }) => address).filter((address) => !isHeld(address)),
    podNetworks: found.flatMap(({ cidr, isPods }) => (isPods && cidr !== null ? [cidr] : [])),
  };
}
