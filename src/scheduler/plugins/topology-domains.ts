import type { NodeInfo } from "../node-info.ts";

/** Counts by the value of one topology key, where the values of nodes divide them into domains. */
export class DomainCounts {
  readonly #counts = new Map<string, number>();
  /** The number of domains by their count, for the minimum. */
  readonly #histogram = new Map<number, number>();

  /** The number of domains. */
  get size(): number {
    return this.#counts.size;
  }

  /** The count of a domain; undefined for one that does not take part. */
  get(domain: string): number | undefined {
    return this.#counts.get(domain);
  }

  /** Has a domain take part, with 0 at first. */
  open(domain: string): void {
    if (!this.#counts.has(domain)) this.#move(domain, undefined, 0);
  }

  add(domain: string, amount: number): void {
    const old = this.#counts.get(domain);
    this.#move(domain, old, (old ?? 0) + amount);
  }

  /** The smallest count of a domain; 0 without domains. */
  get least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const count of this.#histogram.keys()) least = Math.min(least, count);
    return this.#histogram.size === 0 ? 0 : least;
  }

  #move(domain: string, old: number | undefined, now: number): void {
    if (old !== undefined) this.#tally(old, -1);
    this.#tally(now, 1);
    this.#counts.set(domain, now);
  }

  #tally(count: number, change: number): void {
    const number = (this.#histogram.get(count) ?? 0) + change;
    if (number === 0) this.#histogram.delete(count);
    else this.#histogram.set(count, number);
  }
}

/** Reports whether every node that has the label has a value of its own, as of `kubernetes.io/hostname`. */
export function isUnique(key: string, nodes: readonly NodeInfo[]): boolean {
  const values = new Set<string>();
  for (const node of nodes) {
    const value = node.label(key);
    if (value === undefined) continue;
    if (values.has(value)) return false;
    values.add(value);
  }
  return true;
}
