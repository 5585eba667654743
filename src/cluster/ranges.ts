import { existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { contains, parseNetwork } from "../util/ipv4.ts";
import { writePrivate } from "./write-private.ts";

/** The address ranges of one cluster on this machine. */
export interface Ranges {
  readonly serviceCIDR: string;
  /** The API server's own cluster address. */
  readonly apiServerIP: string;
  readonly dnsAddress: string;
  readonly podCIDR: string;
  /** The machine's address in the Pods' network. */
  readonly gateway: string;
}

/** The greatest number of clusters with containers on one machine. */
const choices = 8;

function rangesOf(index: number): Ranges {
  const services = `10.${96 + index}`;
  const pods = `10.${244 + index}.0`;
  return {
    serviceCIDR: `${services}.0.0/16`,
    apiServerIP: `${services}.0.1`,
    dnsAddress: `${services}.0.10`,
    podCIDR: `${pods}.0/24`,
    gateway: `${pods}.1`,
  };
}

/**
 * Returns the ranges that a cluster was created with. For a new cluster, returns the first unused ranges on
 * this machine: upstream's defaults, unless another cluster runs. @throws Error when none is unused
 */
export function chooseRanges(directory: string, addresses = machineAddresses): Ranges {
  const file = join(directory, "ranges.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Ranges;
  const taken = addresses();
  for (let index = 0; index < choices; index++) {
    const ranges = rangesOf(index);
    const wanted = [ranges.serviceCIDR, `${ranges.gateway}/16`].map(parseNetwork);
    if (taken.some((address) => wanted.some((network) => contains(network, address)))) continue;
    writePrivate(file, JSON.stringify(ranges));
    return ranges;
  }
  throw new Error(
    `Cannot start: ${choices} clusters use all address ranges of this machine; stop one with --cleanup`,
  );
}

/** Returns all addresses of this machine, including those of a bridge without Pods, which Node leaves out. */
function machineAddresses(): readonly string[] {
  const shown = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  const file = "/proc/net/fib_trie";
  return existsSync(file) ? [...shown, ...localAddresses(readFileSync(file, "utf8"))] : shown;
}

/** Returns the local addresses in the kernel's table of routes (Linux `net/ipv4/fib_trie.c`). */
export function localAddresses(table: string): readonly string[] {
  return [...table.matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)].map(([, address = ""]) => address);
}
