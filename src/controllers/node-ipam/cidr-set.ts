import ipaddr from "ipaddr.js";

/** Correct the options: they describe no set of ranges. */
export class CidrSetError extends Error {
  override readonly name = "CidrSetError";
}

/** The greatest difference of two prefix lengths, which bounds the number of ranges to 65,536. */
const maxDifference = 16;

interface Range {
  /** The first address as a number. */
  readonly base: bigint;
  readonly prefix: number;
  /** The bits of an address: 32 or 128. */
  readonly bits: number;
}

/** The ranges of equal size within a larger one, each free or in use (upstream `nodeipam/ipam/cidrset`). */
export class CidrSet {
  readonly #cluster: Range;
  readonly #nodePrefix: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  /** Ranges are taken in turn, so that a released one is not reused soon. */
  #next = 0;

  /** @throws CidrSetError when the range cannot be divided so, or would have more than 65,536 parts */
  constructor(clusterCIDR: string, nodePrefix: number) {
    this.#cluster = rangeOf(clusterCIDR);
    this.#nodePrefix = nodePrefix;
    const { prefix, bits } = this.#cluster;
    const difference = nodePrefix - prefix;
    if (difference < 0 || difference > maxDifference || nodePrefix > bits) {
      const limit = Math.min(bits, prefix + maxDifference);
      throw new CidrSetError(
        `Cannot divide ${clusterCIDR} into ranges of /${nodePrefix}: the length must be between ${prefix} and ${limit}`,
      );
    }
    this.#size = 2 ** difference;
  }

  get used(): number {
    return this.#used.size;
  }

  /** Takes a free range; undefined without any. */
  allocate(): string | undefined {
    if (this.#used.size === this.#size) return undefined;
    let index = this.#next;
    while (this.#used.has(index)) index = (index + 1) % this.#size;
    this.#used.add(index);
    this.#next = (index + 1) % this.#size;
    return this.at(index);
  }

  /** Marks all ranges that a range overlaps as used. Ranges outside of the set are ignored. */
  occupy(cidr: string): void {
    for (const index of this.#indexesOf(cidr)) this.#used.add(index);
  }

  release(cidr: string): void {
    for (const index of this.#indexesOf(cidr)) this.#used.delete(index);
  }

  /** Returns the range at an index. */
  at(index: number): string {
    const { base, bits } = this.#cluster;
    const address = base + (BigInt(index) << BigInt(bits - this.#nodePrefix));
    return `${formatAddress(address, bits)}/${this.#nodePrefix}`;
  }

  *#indexesOf(cidr: string): Iterable<number> {
    const { base, prefix, bits } = rangeOf(cidr);
    const { base: start, bits: ownBits } = this.#cluster;
    if (bits !== ownBits) return;
    const shift = BigInt(bits - this.#nodePrefix);
    const last = base + (1n << BigInt(bits - prefix)) - 1n;
    const from = Number((base - start) >> shift);
    const to = Number((last - start) >> shift);
    for (let index = Math.max(0, from); index <= Math.min(this.#size - 1, to); index++) yield index;
  }
}

/** The prefix lengths of nodes' ranges. */
export interface MaskSizes {
  readonly IPv4: number;
  readonly IPv6: number;
}

/** Divides a range by the length for its IP family. @throws CidrSetError */
export function cidrSetOf(clusterCIDR: string, maskSizes: MaskSizes): CidrSet {
  return new CidrSet(clusterCIDR, clusterCIDR.includes(":") ? maskSizes.IPv6 : maskSizes.IPv4);
}

/** @throws CidrSetError when the text is no range */
function rangeOf(cidr: string): Range {
  if (!ipaddr.isValidCIDR(cidr)) throw new CidrSetError(`Cannot use ${cidr}: not an address range`);
  const [address, prefix] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const bits = bytes.length * 8;
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const hostBits = BigInt(bits - prefix);
  return { base: (number >> hostBits) << hostBits, prefix, bits };
}

function formatAddress(address: bigint, bits: number): string {
  const bytes = Array.from({ length: bits / 8 }, (_, i) =>
    Number((address >> BigInt(bits - 8 - i * 8)) & 0xffn),
  );
  return ipaddr.fromByteArray(bytes).toString();
}
