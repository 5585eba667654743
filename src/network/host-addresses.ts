import type { Host } from "./host.ts";

/**
 * Addresses that this machine answers besides its own: cluster addresses on the Pods' bridge. A packet to one
 * of them, from a Pod or from the host, never leaves the machine. The addresses disappear with the bridge.
 */
export class HostAddresses {
  readonly #host: Pick<Host, "run">;
  readonly #device: string;
  readonly #held = new Map<string, number>();

  constructor(host: Pick<Host, "run">, device: string) {
    this.#host = host;
    this.#device = device;
  }

  /**
   * Adds an unreachable route for a range. Without it, packets to unused addresses of the range would leave
   * by the default route. Resolves to a function that removes the route.
   */
  async guard(cidr: string): Promise<() => Promise<void>> {
    // The metric distinguishes the routes of several clusters on one machine.
    const metric = 1000 + Buffer.from(this.#device).reduce((sum, byte) => (sum * 31 + byte) % 30_000, 0);
    const route = ["unreachable", cidr, "metric", String(metric)];
    await this.#ip("route", "replace", ...route);
    return async () => {
      await this.#ip("route", "delete", ...route).catch(() => {});
    };
  }

  /** Adds an address; each `add` needs its `remove`. */
  async add(address: string): Promise<void> {
    const count = this.#held.get(address) ?? 0;
    this.#held.set(address, count + 1);
    // `replace` takes over an address that a killed process left.
    if (count === 0) await this.#ip("address", "replace", `${address}/32`, "dev", this.#device);
  }

  /** Reports whether an address was added. */
  holds(address: string): boolean {
    return this.#held.has(address);
  }

  async remove(address: string): Promise<void> {
    const count = this.#held.get(address) ?? 0;
    if (count > 1) {
      this.#held.set(address, count - 1);
      return;
    }
    this.#held.delete(address);
    if (count === 1)
      await this.#ip("address", "delete", `${address}/32`, "dev", this.#device).catch(() => {});
  }

  async #ip(...args: readonly string[]): Promise<void> {
    await this.#host.run("ip", args);
  }
}
