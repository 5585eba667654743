import type { Container } from "../../api/core/pod/container.ts";
import { qosClass } from "../../api/core/pod/qos.ts";
import {
  aggregate,
  type Amounts,
  isPodLevelResource,
  type ResourceList,
} from "../../api/core/pod/resources.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { addQuantities, parseQuantity, quantityMilliValue, quantityValue } from "../../meta/quantity.ts";
import type { Resources } from "../runtime.ts";

type Spec = Pod["spec"];

const cpuPeriod = 100_000;
/** The kernel refuses smaller quotas, and shares outside this range. */
const minQuota = 1000;
const minShares = 2;
const maxShares = 262_144;

/**
 * Returns the cgroup settings of a container (kubelet `kuberuntime_container_linux.go`): requests become shares,
 * limits quotas. The Pod's own limits apply to a container without limits.
 */
export function containerResources(
  { resources: { requests = {}, limits = {} } }: Container,
  podLevel?: Spec["resources"],
): Resources {
  const cpuLimit = milliOf(limits["cpu"] ?? podLevel?.limits?.["cpu"]);
  const memory = valueOf(limits["memory"] ?? podLevel?.limits?.["memory"]);
  return {
    cpuShares: sharesOf(milliOf(requests["cpu"]) || cpuLimit),
    ...(cpuLimit > 0 && { cpuPeriod, cpuQuota: quotaOf(cpuLimit) }),
    ...(memory > 0 && { memoryLimitBytes: memory }),
  };
}

/**
 * Returns the cgroup settings of the whole Pod (kubelet `cm.ResourceConfigForPod`). A limit is set only when every
 * container has it, or when the Pod has it itself.
 */
export function podResources({ spec }: Pick<Pod, "spec">): Resources {
  if (qosClass(spec) === "BestEffort") return { cpuShares: minShares };
  const limits = podLimits(spec);
  const holders = [...spec.containers, ...(spec.initContainers ?? [])];
  const isLimited = (name: string) =>
    valueOf(spec.resources?.limits?.[name]) > 0 ||
    holders.every(({ resources }) => valueOf(resources.limits?.[name]) > 0);
  const cpuLimit = limits.get("cpu");
  const memoryLimit = limits.get("memory");
  const cpuRequest = podRequests(spec).get("cpu");
  return {
    cpuShares: sharesOf(cpuRequest === undefined ? 0 : quantityMilliValue(cpuRequest)),
    ...(cpuLimit !== undefined &&
      isLimited("cpu") && { cpuPeriod, cpuQuota: quotaOf(quantityMilliValue(cpuLimit)) }),
    ...(memoryLimit !== undefined && isLimited("memory") && { memoryLimitBytes: quantityValue(memoryLimit) }),
  };
}

/** Returns the requests of the whole Pod, with its overhead (component-helpers `PodRequests`). */
export function podRequests(spec: Spec): Amounts {
  const total = aggregate(spec, ({ resources }) => resources.requests);
  replaceByPodLevel(total, spec.resources?.requests);
  for (const [name, text] of Object.entries(spec.overhead ?? {})) addTo(total, name, text);
  return total;
}

/** Returns the limits of the whole Pod. Its overhead raises only limits that exist. */
export function podLimits(spec: Spec): Amounts {
  const total = aggregate(spec, ({ resources }) => resources.limits);
  replaceByPodLevel(total, spec.resources?.limits);
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    if (total.has(name)) addTo(total, name, text);
  }
  return total;
}

function replaceByPodLevel(total: Amounts, list: ResourceList = {}): void {
  for (const [name, text] of Object.entries(list)) {
    if (isPodLevelResource(name)) total.set(name, parseQuantity(text));
  }
}

function addTo(total: Amounts, name: string, text: string): void {
  const amount = parseQuantity(text);
  const present = total.get(name);
  total.set(name, present === undefined ? amount : addQuantities(present, amount));
}

function sharesOf(milli: number): number {
  return Math.min(Math.max(minShares, Math.floor((milli * 1024) / 1000)), maxShares);
}

function quotaOf(milli: number): number {
  return Math.max(minQuota, Math.floor((milli * cpuPeriod) / 1000));
}

/** Returns thousandths; 0 without a quantity. */
export function milliOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : quantityMilliValue(parseQuantity(quantity));
}

/** Returns whole units; 0 without a quantity. */
export function valueOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : quantityValue(parseQuantity(quantity));
}
