import type { ServiceBackend } from "../backend.ts";
import type { ServicePort } from "../plan.ts";
import { PodBridge, type PodBridgeOptions } from "./pod-bridge.ts";
import { render, type Ruleset } from "./render.ts";
import { removal, replace } from "./replace.ts";

/**
 * Services by the kernel's own rules (upstream's nftables mode): connections go straight to an endpoint, which sees
 * the client's address. Each change of the rules is one transaction; it also replaces what a killed process left.
 */
export class NftablesBackend implements ServiceBackend {
  readonly name = "nftables";
  readonly #options: PodBridgeOptions;
  readonly #bridge: PodBridge;
  #present: Ruleset | undefined;

  constructor(options: PodBridgeOptions) {
    this.#options = options;
    this.#bridge = new PodBridge(options);
  }

  async sync(plan: readonly ServicePort[]): Promise<void> {
    const next = render(plan, { ...this.#options, ...(await this.#bridge.prepare()) });
    const present = this.#present;
    if (next.text === present?.text) return;
    // Until the kernel has agreed nothing is known: somebody may have removed the table.
    this.#present = undefined;
    await this.#load(replace(this.#options.bridge, present, next));
    this.#present = next;
    this.#bridge.open();
  }

  async close(): Promise<void> {
    this.#present = undefined;
    await this.#bridge.restore();
    await this.#load(removal(this.#options.bridge));
  }

  async #load(script: string): Promise<void> {
    await this.#options.host.run("nft", ["-f", "-"], script);
  }
}
