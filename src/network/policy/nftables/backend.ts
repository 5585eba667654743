import { yielding } from "../../../util/yield.ts";
import type { Host } from "../../host.ts";
import type { PolicyBackend } from "../backend.ts";
import type { Changes, Rules } from "../node-state.ts";
import { LoadedRules, removal } from "./loaded-rules.ts";
import type { PolicyPlace } from "./render.ts";

export interface NftablesPolicyOptions extends PolicyPlace {
  readonly host: Host;
}

/**
 * Enforces policies by rules in the kernel. Each change is one transaction with the changed chains and elements.
 */
export class NftablesPolicyBackend implements PolicyBackend {
  readonly #options: NftablesPolicyOptions;
  #loaded: LoadedRules | undefined;
  /** True when the tables certainly do not exist. */
  #absent = false;

  constructor(options: NftablesPolicyOptions) {
    this.#options = options;
  }

  async sync(rules: Rules, changes: Changes): Promise<void> {
    if (!rules.active) {
      if (!this.#absent) await this.close();
      return;
    }
    const loaded = this.#loaded;
    // Until the transaction succeeds the content of the tables is unknown.
    this.#loaded = undefined;
    if (loaded !== undefined) {
      const script = await yielding(loaded.change(rules, changes));
      if (script !== "") await this.#load(script);
      this.#loaded = loaded;
      return;
    }
    const { host, bridge } = this.#options;
    await host.run("ip", ["link", "set", "dev", bridge, "type", "bridge", "nf_call_iptables", "1"]);
    const next = new LoadedRules(this.#options);
    this.#absent = false;
    await this.#load(await yielding(next.replace(rules)));
    this.#loaded = next;
  }

  /** Removes the tables, also those that another process left. */
  async close(): Promise<void> {
    this.#loaded = undefined;
    await this.#load(removal(this.#options));
    this.#absent = true;
  }

  async #load(script: string): Promise<void> {
    await this.#options.host.run("nft", ["-f", "-"], script);
  }
}
