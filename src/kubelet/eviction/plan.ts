import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityValue,
} from "../../meta/quantity.ts";
import { isSidecar } from "../pod/roles.ts";

/** A Pod's usage of the node's disks, in bytes. */
export interface DiskUsage {
  /** By name, without emptyDirs in memory. */
  readonly emptyDirs: ReadonlyMap<string, number>;
  /** Logs and writable layer, by name. */
  readonly containers: ReadonlyMap<string, number>;
  /** Files of the Pod's other volumes. */
  readonly other: number;
}

const resource = "ephemeral-storage";
/**
 * Pods with at least the priority of `system-cluster-critical` are never evicted (kubelet
 * `types.IsCriticalPod`).
 */
const criticalPriority = 2_000_000_000;

/** Reports whether the Pod limits its local storage. Other Pods are not measured. */
export function limitsStorage(pod: Pod): boolean {
  const { volumes = [], containers, priority = 0 } = pod.spec;
  if (priority >= criticalPriority) return false;
  return (
    volumes.some(({ emptyDir }) => positive(emptyDir?.sizeLimit) !== undefined) ||
    containers.some((container) => limitOf(container) !== undefined) ||
    podLimit(pod) !== undefined
  );
}

/** Returns the reason of an eviction, in upstream's words and order; undefined within the limits. */
export function evictionMessage(pod: Pod, usage: DiskUsage): string | undefined {
  if (!limitsStorage(pod)) return undefined;
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = positive(emptyDir?.sizeLimit);
    if (limit !== undefined && (usage.emptyDirs.get(name) ?? 0) > quantityValue(limit)) {
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit "${formatQuantity(limit)}". `;
    }
  }
  const total = podLimit(pod);
  if (total !== undefined && totalOf(usage) > quantityValue(total)) {
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(total)}. `;
  }
  for (const container of pod.spec.containers) {
    const limit = positive(container.resources.limits?.[resource]);
    if (limit !== undefined && (usage.containers.get(container.name) ?? 0) > quantityValue(limit)) {
      return `Container ${container.name} exceeded its local ephemeral storage limit "${formatQuantity(limit)}". `;
    }
  }
  return undefined;
}

function totalOf({ emptyDirs, containers, other }: DiskUsage): number {
  return [...emptyDirs.values(), ...containers.values()].reduce((sum, bytes) => sum + bytes, other);
}

/**
 * Returns the greater of two sums: of the containers' limits, without unlimited containers, and of what the
 * init containers may use before (component-helpers `resource.PodLimits`).
 */
function podLimit({ spec }: Pod): Quantity | undefined {
  let sum: Quantity | undefined;
  let sidecars: Quantity | undefined;
  let before: Quantity | undefined;
  for (const container of spec.containers) sum = plus(sum, limitOf(container));
  for (const container of spec.initContainers ?? []) {
    const limit = limitOf(container);
    if (isSidecar(container)) {
      sum = plus(sum, limit);
      sidecars = plus(sidecars, limit);
      before = larger(before, sidecars);
    } else before = larger(before, plus(limit, sidecars));
  }
  return larger(sum, before);
}

function limitOf({ resources }: Container): Quantity | undefined {
  const limit = resources.limits?.[resource];
  return limit === undefined ? undefined : parseQuantity(limit);
}

function positive(limit: string | undefined): Quantity | undefined {
  const quantity = limit === undefined ? undefined : parseQuantity(limit);
  return quantity !== undefined && quantityValue(quantity) > 0 ? quantity : undefined;
}

function plus(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addQuantities(a, b);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}
