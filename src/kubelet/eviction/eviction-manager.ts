import { join } from "node:path";
import type { Pod } from "../../api/core/pod/schema.ts";
import { every } from "../../util/clock.ts";
import type { NodeContext } from "../node-context.ts";
import { podLogDirectory } from "../pod/sandbox-config.ts";
import type { SandboxStatus } from "../runtime.ts";
import { type DiskUsage, evictionMessage, limitsStorage } from "./plan.ts";
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

/** The directories that one Pod's usage is summed up from. */
interface Places {
  readonly emptyDirs: ReadonlyMap<string, string>;
  readonly containers: ReadonlyMap<string, readonly string[]>;
  readonly other: readonly string[];
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
    const measured = running.map((pod) => ({ pod, places: this.#places(pod) }));
    const sizes = await diskUsage(measured.flatMap(({ places }) => allOf(places)));
    for (const { pod, places } of measured) {
      const message = evictionMessage(pod, usageOf(places, sizes));
      if (message !== undefined) this.#options.evict(pod, message);
    }
  }

  #places(pod: Pod): Places {
    const { node, sandboxes } = this.#options;
    const logs = podLogDirectory(node, pod);
    const containers = new Map<string, readonly string[]>();
    // Oldest first, so that the newest incarnation's layer counts, as upstream. Logs of all incarnations
    // count.
    const incarnations = sandboxes(pod.metadata.uid ?? "").flatMap((sandbox) => sandbox.containers);
    for (const { id, name } of incarnations.toSorted((a, b) => a.attempt - b.attempt)) {
      const layer = node.runtime.writableLayer?.(id);
      containers.set(name, [join(logs, name), ...(layer === undefined ? [] : [layer])]);
    }
    return { containers, ...node.volumes.diskPlaces(pod) };
  }
}

function allOf({ emptyDirs, containers, other }: Places): readonly string[] {
  return [...emptyDirs.values(), ...[...containers.values()].flat(), ...other];
}

function usageOf(places: Places, sizes: ReadonlyMap<string, number>): DiskUsage {
  const sum = (paths: readonly string[]) => paths.reduce((total, path) => total + (sizes.get(path) ?? 0), 0);
  return {
    emptyDirs: new Map([...places.emptyDirs].map(([name, path]) => [name, sum([path])])),
    containers: new Map([...places.containers].map(([name, paths]) => [name, sum(paths)])),
    other: sum(places.other),
  };
}
