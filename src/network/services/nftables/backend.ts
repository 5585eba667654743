import type { ServiceBackend } from "../backend.ts";
import type { ServicePort } from "../plan.ts";
import { PodBridge, type PodBridgeOptions } from "./pod-bridge.ts";
import { render, type Ruleset } from "./render.ts";
import { removal, replace } from "./replace.ts";

/**
 * Serves Services by rules in the kernel (upstream's nftables mode). Connections are sent directly to an
 * endpoint, which sees the client's address. Each change of the rules is one transaction, which also replaces
 * rules that a killed process left.
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
    // Until the transaction succeeds the table's content is unknown: another program may have removed the
    // table.
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
