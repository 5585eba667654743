import type { Container } from "../api/core/pod/container.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../meta/quantity.ts";

/** Amounts by resource: CPU in thousandths, everything else in whole units. */
export type Amounts = Map<string, number>;

export function amountsOf(quantities: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(Object.entries(quantities).map(([name, text]) => [name, amount(name, text)]));
}

function amount(name: string, text: string): number {
  const quantity = parseQuantity(text);
  return name === "cpu" ? quantityMilliValue(quantity) : quantityValue(quantity);
}

export function addAmounts(to: Amounts, more: ReadonlyMap<string, number>): void {
  for (const [name, value] of more) to.set(name, (to.get(name) ?? 0) + value);
}

export function subtractAmounts(from: Amounts, less: ReadonlyMap<string, number>): void {
  for (const [name, value] of less) from.set(name, (from.get(name) ?? 0) - value);
}

/** The sums of requests by Pod spec, each computed once: a spec is immutable. */
const requests = new WeakMap<Pod["spec"], Amounts>();

/**
 * The request of a Pod: all containers together, or the most demanding init container with the sidecars
 * before it, whichever is more; plus the overhead (component-helpers `resource.PodRequests`).
 */
export function podRequest({ spec }: Pod): ReadonlyMap<string, number> {
  const known = requests.get(spec);
  if (known !== undefined) return known;
  const total: Amounts = new Map();
  for (const container of spec.containers) addAmounts(total, requestOf(container));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestOf(container);
    if (container.restartPolicy === "Always") {
      addAmounts(sidecars, own);
      addAmounts(total, own);
      raise(peak, sidecars);
    } else {
      const together = new Map(sidecars);
      addAmounts(together, own);
      raise(peak, together);
    }
  }
  raise(total, peak);
  // Requests of the Pod as a whole replace those of its containers (KEP-2837).
  for (const [name, value] of amountsOf(spec.resources?.requests)) total.set(name, value);
  addAmounts(total, amountsOf(spec.overhead));
  requests.set(spec, total);
  return total;
}

function requestOf({ resources }: Container): Amounts {
  return amountsOf(resources.requests);
}

function raise(to: Amounts, other: ReadonlyMap<string, number>): void {
  for (const [name, value] of other) to.set(name, Math.max(to.get(name) ?? 0, value));
}

/** The requests that a container without requests counts for (scheduler `util.DefaultMilliCPURequest`). */
const defaultMilliCpu = 100;
const defaultMemory = 200 * 1024 * 1024;

export function nonZeroRequest(pod: Pod): { cpu: number; memory: number } {
  const request = podRequest(pod);
  const lacking = (name: string) =>
    pod.spec.containers.filter(({ resources }) => resources.requests?.[name] === undefined).length;
  return {
    cpu: (request.get("cpu") ?? 0) + lacking("cpu") * defaultMilliCpu,
    memory: (request.get("memory") ?? 0) + lacking("memory") * defaultMemory,
  };
}
