import type { ContainerStats, NodeStats, UsageStats } from "../../meta/node-endpoint.ts";
import { every } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { yieldToSockets } from "../../util/yield.ts";
import type { ContainerStatus, Runtime, RuntimeUsage, SandboxStatus, UsageRate } from "../runtime.ts";
import { periodMs, rateAt, rateOf, type Sample, sampleAtStart } from "./rates.ts";

const nothing: NodeStats = { node: undefined, pods: new Map() };

/** Measures the node and its running containers, and keeps the rates between the last two measurements. */
export class UsageMonitor {
  readonly #runtime: Pick<Runtime, "usage" | "rates">;
  readonly #env: Pick<Env, "clock" | "log">;
  readonly #sandboxes: () => readonly SandboxStatus[];
  #machine: Sample | undefined;
  /** The last sample of each container, by its ID. */
  #containers: ReadonlyMap<string, Sample> = new Map();
  #stats: NodeStats = nothing;

  /** `sandboxes` returns the runtime's last list. */
  constructor(
    runtime: Pick<Runtime, "usage" | "rates">,
    env: Pick<Env, "clock" | "log">,
    sandboxes: () => readonly SandboxStatus[],
  ) {
    this.#runtime = runtime;
    this.#env = env;
    this.#sandboxes = sandboxes;
  }

  stats(): NodeStats {
    const rates = this.#runtime.rates?.();
    return rates === undefined ? this.#stats : this.#present(rates);
  }

  /** Returns the last measurements, with the CPU time since the start. */
  samples(): { readonly machine: Sample | undefined; readonly containers: ReadonlyMap<string, Sample> } {
    return { machine: this.#machine, containers: this.#containers };
  }

  /** Measures until the signal fires; returns at once for a runtime that cannot measure. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#runtime.usage === undefined) return;
    await this.#measure();
    await every(this.#env.clock, periodMs, signal, () => this.#measure());
  }

  #present(rates: ReadonlyMap<string, UsageRate>): NodeStats {
    const at = this.#env.clock.now();
    let [cpuNanoCores, memoryBytes] = [0, 0];
    for (const rate of rates.values()) {
      cpuNanoCores += rate.cpuNanoCores;
      memoryBytes += rate.memoryBytes;
    }
    const pods = podStats(this.#sandboxes(), ({ id, startedAt = at }) => {
      const rate = rates.get(id);
      return rate && rateAt(at, startedAt, rate);
    });
    return { node: { at, windowMs: periodMs, cpuNanoCores, memoryBytes }, pods };
  }

  async #measure(): Promise<void> {
    // The nodes of one process measure at the same time.
    await yieldToSockets();
    try {
      const usage = await this.#runtime.usage?.();
      if (usage !== undefined) this.#stats = this.#update(usage);
    } catch (error) {
      this.#stats = nothing;
      this.#env.log.warn("Cannot measure the usage of the node", { error });
    }
  }

  #update({ machine, containers }: RuntimeUsage): NodeStats {
    const at = this.#env.clock.now();
    const node = { at, ...machine };
    const samples = new Map([...containers].map(([id, usage]) => [id, { at, ...usage }]));
    const stats = {
      node: this.#machine === undefined ? undefined : rateOf(this.#machine, node),
      pods: podStats(this.#sandboxes(), (container) => this.#rateOf(container, samples)),
    };
    this.#machine = node;
    this.#containers = samples;
    return stats;
  }

  #rateOf({ id, startedAt }: ContainerStatus, samples: ReadonlyMap<string, Sample>): UsageStats | undefined {
    const after = samples.get(id);
    if (after === undefined) return undefined;
    const before = this.#containers.get(id) ?? sampleAtStart(startedAt, after);
    return before === undefined ? undefined : rateOf(before, after);
  }
}

/** Leaves out Pods with a running container that has no rate: a part would look like the whole. */
function podStats(
  sandboxes: readonly SandboxStatus[],
  rate: (container: ContainerStatus) => UsageStats | undefined,
): NodeStats["pods"] {
  const pods = new Map<string, readonly ContainerStats[]>();
  for (const { pod, containers } of sandboxes) {
    const running = containers.filter(({ state }) => state === "running");
    const rates = running.map((container) => ({ name: container.name, rate: rate(container) }));
    const known = rates.flatMap(({ name, rate: one }) => (one === undefined ? [] : [{ name, ...one }]));
    if (known.length > 0 && known.length === running.length) pods.set(pod.uid, known);
  }
  return pods;
}
