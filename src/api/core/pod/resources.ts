import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../meta/quantity.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/** Amounts by resource, in the API's form. */
export type ResourceList = Readonly<Record<string, string>>;
/** Amounts by resource, as quantities. */
export type Amounts = Map<string, Quantity>;

function add(to: Amounts, list: ResourceList = {}): void {
  for (const [name, text] of Object.entries(list)) {
    const amount = parseQuantity(text);
    const present = to.get(name);
    to.set(name, present === undefined ? amount : addQuantities(present, amount));
  }
}

function raise(to: Amounts, by: Amounts): void {
  for (const [name, amount] of by) {
    const present = to.get(name);
    if (present === undefined || compareQuantities(amount, present) > 0) to.set(name, amount);
  }
}

/**
 * The total requests or limits of a Pod's containers (component-helpers `AggregateContainerRequests`). This
 * is the maximum of two amounts: the sum over main containers and sidecars, and each init container plus the
 * sidecars started before it.
 */
export function aggregate(
  spec: Pick<PodSpec, "containers" | "initContainers">,
  of: (container: Container) => ResourceList | undefined,
): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers) add(total, of(container));
  const sidecars: Amounts = new Map();
  const initial: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") {
      add(total, of(container));
      add(sidecars, of(container));
      raise(initial, sidecars);
    } else {
      const together: Amounts = new Map(sidecars);
      add(together, of(container));
      raise(initial, together);
    }
  }
  raise(total, initial);
  return total;
}

export function toResourceList(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

export const isHugePage = (resource: string): boolean => resource.startsWith("hugepages-");

/** Reports whether a Pod-level amount of the resource is allowed. */
export function isPodLevelResource(resource: string): boolean {
  return resource === "cpu" || resource === "memory" || isHugePage(resource);
}
