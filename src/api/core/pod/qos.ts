import { compareQuantities, parseQuantity, type Quantity } from "../../../meta/quantity.ts";
import type { PodSpec } from "./spec.ts";
import type { ResourceRequirements } from "../v1/resources.ts";
import type { ResourceList } from "./resources.ts";

export type QosClass = "BestEffort" | "Burstable" | "Guaranteed";

const compute = ["cpu", "memory"] as const;

/** The CPU and memory amounts that are not zero. */
function amounts(list: ResourceList = {}): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const name of compute) {
    const text = list[name];
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (amount.nanos > 0n) found.set(name, amount);
  }
  return found;
}

/**
 * The quality of service class, which determines the order of eviction. Guaranteed: each container has limits
 * for CPU and memory, and equal requests. BestEffort: no container has any. Pod-level resources replace those
 * of the containers.
 */
export function qosClass(spec: PodSpec): QosClass {
  const holders: readonly ResourceRequirements[] =
    spec.resources === undefined
      ? [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  let some = false;
  let guaranteed = true;
  for (const { requests, limits } of holders) {
    const asked = amounts(requests);
    const most = amounts(limits);
    if (asked.size > 0 || most.size > 0) some = true;
    if (!compute.every((name) => equal(asked.get(name), most.get(name)))) guaranteed = false;
  }
  if (!some) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function equal(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}
