import type { Refusal, ServiceBackend } from "../backend.ts";
import type { ServicePort } from "../plan.ts";
import { PodBridge, type PodBridgeOptions } from "./pod-bridge.ts";
import { render } from "./render.ts";
import { deletion, removal, replace } from "./replace.ts";
import type { Ruleset } from "./ruleset.ts";

/**
 * Serves Services by rules in the kernel (upstream's nftables mode). Connections are sent directly to an
 * endpoint, which sees the client's address. Each change of the rules is one transaction; the first one also
 * replaces rules that a killed process left.
 */
export class NftablesBackend implements ServiceBackend {
  readonly name = "nftables";
  readonly #options: PodBridgeOptions;
  readonly #bridge: PodBridge;
  #present: Ruleset | undefined;
  #stale: ReadonlySet<string> = new Set();

  constructor(options: PodBridgeOptions) {
    this.#options = options;
    this.#bridge = new PodBridge(options);
  }

  async sync(plan: readonly ServicePort[]): Promise<readonly Refusal[]> {
    const next = render(plan, { ...this.#options, ...(await this.#bridge.prepare()) });
    await this.#deleteStale();
    const { script, stale } = replace(this.#options.bridge, this.#present, next, this.#stale);
    if (script !== "") {
      // Until the transaction succeeds the table's content is unknown: another program may have removed the
      // table.
      this.#present = undefined;
      this.#stale = new Set();
      await this.#load(script);
    }
    this.#present = next;
    this.#stale = stale;
    this.#bridge.open({ loopback: plan.some(({ external }) => external !== undefined) });
    return [];
  }

  /** Firewalls flush all tables when they load their rules again. */
  async isIntact(): Promise<boolean> {
    if (this.#present === undefined) return false;
    const { host, bridge } = this.#options;
    const tables = await host.run("nft", ["list", "tables"]);
    if (tables.split("\n").includes(`table ip ${bridge}`)) return true;
    this.#present = undefined;
    this.#stale = new Set();
    return false;
  }

  async close(): Promise<void> {
    this.#present = undefined;
    this.#stale = new Set();
    await this.#bridge.restore();
    await this.#load(removal(this.#options.bridge));
  }

  /** Deletes chains without elements that lead to them. Kernels may refuse that for a while. */
  async #deleteStale(): Promise<void> {
    if (this.#stale.size === 0) return;
    const deleted = await this.#load(deletion(this.#options.bridge, this.#stale)).then(
      () => true,
      () => false,
    );
    if (deleted) this.#stale = new Set();
  }

  async #load(script: string): Promise<void> {
    await this.#options.host.run("nft", ["-f", "-"], script);
  }
}
