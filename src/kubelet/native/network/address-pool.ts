import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nthAddress, type Network } from "../../../util/ipv4.ts";

/**
 * Leases Pod addresses. A lease is a file named after the address, created exclusively, so that it survives
 * restarts and no address has two leases. The search cycles through the network: an address is reused only after
 * all others were used, so that late packets do not reach a new Pod.
 */
export class AddressPool {
  readonly #directory: string;
  readonly #network: Network;
  #last = 1;

  private constructor(directory: string, network: Network) {
    this.#directory = directory;
    this.#network = network;
  }

  static async open(directory: string, network: Network): Promise<AddressPool> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new AddressPool(directory, network);
  }

  /** @throws Error when every address is leased. */
  async lease(holder: string): Promise<string> {
    const usable = this.#network.size - 3; // All but the network, gateway and broadcast addresses.
    for (let tried = 0; tried < usable; tried++) {
      this.#last = this.#last >= this.#network.size - 2 ? 2 : this.#last + 1;
      const address = nthAddress(this.#network, this.#last);
      try {
        await writeFile(join(this.#directory, address), holder, { flag: "wx", mode: 0o600 });
        return address;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
    }
    throw new Error("Cannot lease a Pod address: no address is free");
  }

  async release(address: string): Promise<void> {
    await rm(join(this.#directory, address), { force: true });
  }

  /** Releases the lease of `holder`, if it has one. */
  async releaseOf(holder: string): Promise<void> {
    await this.#releaseIf((other) => other === holder);
  }

  /** Releases the leases of all holders that are not in `holders`. */
  async releaseOthers(holders: ReadonlySet<string>): Promise<void> {
    await this.#releaseIf((holder) => !holders.has(holder));
  }

  async #releaseIf(matches: (holder: string) => boolean): Promise<void> {
    for (const address of await readdir(this.#directory)) {
      const holder = await readFile(join(this.#directory, address), "utf8").catch(() => undefined);
      if (holder !== undefined && matches(holder)) await this.release(address);
    }
  }
}
