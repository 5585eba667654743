import { hasResourceClaims } from "../api/core/pod/references.ts";
import { dependsOnOtherNodes } from "../api/core/pod/placement.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { fnv32a } from "../util/fnv.ts";
import { podRequest } from "./resources.ts";

/** One of several schedulers that share the Pods of a cluster, and decide at the same time. */
export interface Shard {
  /** The number of this one, from 0. */
  readonly index: number;
  /** The number of schedulers. */
  readonly total: number;
}

/** The whole work. */
export const onlyShard: Shard = { index: 0, total: 1 };

/**
 * Reports whether the shard schedules a Pod. Pods whose places depend on each other, as the replicas of one owner with
 * anti-affinity, belong to one shard: apart, they would conflict. Pods that may use devices belong to the first one. Any
 * other Pod goes by its own UID.
 */
export function isInShard({ index, total }: Shard, pod: Pod): boolean {
  if (total === 1) return true;
  // No write refuses a device that another scheduler has allocated in the meantime: one of them allocates all devices.
  if (mayUseDevices(pod)) return index === 0;
  const { uid = "", ownerReferences = [] } = pod.metadata;
  const owner = dependsOnOtherNodes(pod)
    ? ownerReferences.find(({ controller }) => controller === true)
    : undefined;
  return fnv32a(owner?.uid ?? uid) % total === index;
}

/** Reports whether the Pod has claims, or requests an extended resource, which a DeviceClass may provide. */
function mayUseDevices(pod: Pod): boolean {
  if (hasResourceClaims(pod)) return true;
  for (const name of podRequest(pod).scalars.keys()) if (name.includes("/")) return true;
  return false;
}
