import type { Pod } from "../../api/core/pod/schema.ts";
import { requestOf } from "../allocation/filter.ts";
import { parseQuantity, quantityValue } from "../../meta/quantity.ts";
import type { Observations } from "./pressure.ts";
import { amountOf, formatAmount, resourceOf, type StarvedResource, type Threshold } from "./thresholds.ts";

/** A Pod's usage of the starved resource, in bytes; undefined when it is unknown. */
export interface PodUsage {
  readonly pod: Pod;
  readonly total: number | undefined;
  /** By container name. */
  readonly containers: ReadonlyMap<string, number>;
}

/**
 * Orders Pods for eviction (kubelet `rankMemoryPressure`, `rankDiskPressureFunc`, `rankPIDPressure`): those above their
 * requests, those of lower priority, those with the larger usage above their requests. Pods without measurements come first.
 */
export function rankForEviction(usages: readonly PodUsage[], resource: StarvedResource): readonly PodUsage[] {
  const byPriority = (a: PodUsage, b: PodUsage) => (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0);
  if (resource === "pids") return usages.toSorted(byPriority);
  const excess = ({ pod, total }: PodUsage) =>
    total === undefined ? Infinity : total - (requestOf(pod).get(resource) ?? 0);
  return usages.toSorted((a, b) => {
    const [mine, other] = [excess(a), excess(b)];
    const exceeds = Number(other > 0) - Number(mine > 0);
    return exceeds || byPriority(a, b) || (mine === other ? 0 : other - mine);
  });
}

/** Returns the message of an eviction in upstream's words (kubelet `evictionMessage`). */
export function pressureMessage(
  { pod, total, containers }: PodUsage,
  { signal }: Threshold,
  met: readonly Threshold[],
  observations: Observations,
): string {
  const resource = resourceOf(signal);
  let message = `The node was low on resource: ${resource}. `;
  const known = met.find((one) => resourceOf(one.signal) === resource && observations.has(one.signal));
  const observed = known && observations.get(known.signal);
  if (known !== undefined && observed !== undefined) {
    const threshold = formatAmount(resource, amountOf(known.value, observed.capacity));
    message += `Threshold quantity: ${threshold}, available: ${formatAmount(resource, observed.available)}. `;
  }
  const larger = (what: string, usage: number, request: string) =>
    `${what} was using ${formatAmount(resource, usage)}, request is ${request}, has larger consumption of ${resource}. `;
  const podRequest = resource === "memory" ? pod.spec.resources?.requests?.["memory"] : undefined;
  if (podRequest !== undefined && total !== undefined)
    message += larger(`Pod ${pod.metadata.name}`, total, podRequest);
  for (const { name, resources } of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    const usage = containers.get(name);
    const request = resources.requests?.[resource];
    const least = request === undefined ? 0 : quantityValue(parseQuantity(request));
    if (usage !== undefined && usage > least) message += larger(`Container ${name}`, usage, request ?? "0");
  }
  return message;
}
