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
  /** The machine's address among the Pods. */
  readonly gateway: string;
}

/** So many clusters with containers fit on one machine. */
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
 * The ranges that a cluster was made with, or for a new one the first that nobody on this machine uses: upstream's
 * defaults, unless another cluster runs already. @throws Error when all are taken
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

/** All addresses of this machine: Node leaves out those of a bridge that has no Pod yet. */
function machineAddresses(): readonly string[] {
  const shown = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  const file = "/proc/net/fib_trie";
  return existsSync(file) ? [...shown, ...localAddresses(readFileSync(file, "utf8"))] : shown;
}

/** The local addresses in the kernel's table of routes (Linux `net/ipv4/fib_trie.c`). */
export function localAddresses(table: string): readonly string[] {
  return [...table.matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)].map(([, address = ""]) => address);
}
