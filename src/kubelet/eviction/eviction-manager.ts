import type { Pod } from "../../api/core/pod/schema.ts";
import { every } from "../../util/clock.ts";
import type { NodeContext } from "../node-context.ts";
import type { SandboxStatus } from "../runtime.ts";
import { evictionMessage, limitsStorage } from "./plan.ts";
import { directoriesOf, placesOf, usageOf } from "./places.ts";
import { diskUsage } from "./disk-usage.ts";

/** Upstream's `evictionMonitoringPeriod`. */
const periodMs = 10_000;

export interface EvictionOptions {
  readonly node: NodeContext;
  readonly pods: () => Iterable<Pod>;
  readonly sandboxes: (uid: string) => readonly SandboxStatus[];
  /** Terminates a Pod permanently, with the message in its status. */
  readonly evict: (pod: Pod, message: string) => void;
}

/**
 * Evicts Pods that write more to the node's disks than their limits allow (kubelet `localStorageEviction`).
 * Only Pods with such limits are measured.
 */
export class EvictionManager {
  readonly #options: EvictionOptions;

  constructor(options: EvictionOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { env, runtime } = this.#options.node;
    // Simulated containers write nothing.
    if (runtime.writableLayer === undefined) return;
    await every(env.clock, periodMs, signal, async () => {
      try {
        await this.check();
      } catch (error) {
        env.log.warn("Cannot measure the storage of Pods", { error: String(error) });
      }
    });
  }

  async check(): Promise<void> {
    const running = [...this.#options.pods()].filter(
      (pod) => pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed" && limitsStorage(pod),
    );
    const { node, sandboxes } = this.#options;
    const measured = running.map((pod) => ({
      pod,
      places: placesOf(node, pod, sandboxes(pod.metadata.uid ?? "")),
    }));
    const sizes = await diskUsage(measured.flatMap(({ places }) => directoriesOf(places)));
    for (const { pod, places } of measured) {
      const message = evictionMessage(pod, usageOf(places, sizes));
      if (message !== undefined) this.#options.evict(pod, message);
    }
  }
}
