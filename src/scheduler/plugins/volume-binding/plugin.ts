import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { csiDrivers } from "../../../api/storage/csi-driver/schema.ts";
import { csiStorageCapacities } from "../../../api/storage/csi-storage-capacity/schema.ts";
import { storageClasses } from "../../../api/storage/storage-class/schema.ts";
import { sleep } from "../../../util/clock.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { PluginArguments } from "../../configuration/arguments.ts";
import { claimsOf, isOwnClaim } from "../../claims.ts";
import { changeOf, type ClusterEvent } from "../../cluster-event.ts";
import { type Handle, type Plugin, unresolvable } from "../../framework.ts";
import { ListNumbers } from "../../list-numbers.ts";
import type { Snapshot } from "../../snapshot.ts";
import { VolumeChanges } from "./bind.ts";
import { limitOf, place } from "./place.ts";
import { keyOfClaims, podClaims } from "./pod-claims.ts";
import { Storage } from "./storage.ts";

type Arguments = NonNullable<PluginArguments["VolumeBinding"]>;

const pollMs = 1000;

/**
 * Rejects nodes that cannot reach the Pod's volumes; finds or has made the volumes of claims that wait for their first
 * consumer (KEP-490). It scores nothing: upstream scores only with the feature gate StorageCapacityScoring, which is off.
 */
export function volumeBinding(handle: Handle, { bindTimeoutSeconds = 600 }: Arguments = {}): Plugin {
  const storage = new Storage(handle.cache);
  const numbers = new ListNumbers();
  const changes = new Map<string, VolumeChanges>();
  /** The nodes; the scheduler has one snapshot, and PreFilter precedes Reserve. */
  let nodes: Snapshot | undefined;
  const find = (pod: Pod) => podClaims(pod, claimsOf(pod, handle.cache), storage);
  return {
    name: "VolumeBinding",
    reads: [persistentVolumeClaims, persistentVolumes, storageClasses, csiDrivers, csiStorageCapacities],
    keyOf(pod) {
      const found = find(pod);
      if (found === undefined) return undefined;
      return "type" in found ? found.reason : keyOfClaims(found, numbers);
    },
    preFilter(pod, snapshot) {
      nodes = snapshot;
      const found = find(pod);
      if (found === undefined || "type" in found) return found;
      return {
        type: "filtering",
        filter({ node }) {
          const placement = place(found, node);
          return "bindings" in placement ? undefined : unresolvable(...placement);
        },
      };
    },
    reserve(pod, name) {
      const found = find(pod);
      if (found === undefined) return undefined;
      if ("type" in found) return found.reason;
      const node = nodes?.node(name)?.node;
      if (node === undefined) return `node "${name}" not found`;
      const placement = place(found, node);
      if (!("bindings" in placement)) return placement.join(", ");
      if (placement.bindings.length + placement.provisions.length > 0)
        changes.set(pod.metadata.uid ?? "", new VolumeChanges(placement, name, storage));
      return undefined;
    },
    unreserve({ metadata: { uid = "" } }) {
      changes.get(uid)?.revert();
      changes.delete(uid);
    },
    async preBind({ metadata: { uid = "" } }, name, signal) {
      const own = changes.get(uid);
      if (own === undefined) return;
      await own.write(handle.client);
      const deadline = handle.clock.now() + bindTimeoutSeconds * 1000;
      do {
        if (handle.clock.now() >= deadline) throw new Error("binding volumes: context deadline exceeded");
        await sleep(handle.clock, pollMs, signal);
        signal.throwIfAborted();
      } while (!areBound(own, uid, name, nodes));
    },
    postBind({ metadata: { uid = "" } }) {
      changes.get(uid)?.settle();
      changes.delete(uid);
    },
    helps,
  };
}

/** Reports whether the Pod's volumes are bound. @throws Error when waiting is useless */
function areBound(changes: VolumeChanges, uid: string, name: string, nodes: Snapshot | undefined): boolean {
  const info = nodes?.node(name);
  if (info === undefined)
    throw new Error(`binding volumes: failed to get node "${name}": node "${name}" not found`);
  // The scheduler counts the Pod on its node until the Pod is deleted.
  if (!info.pods.has(uid)) throw new Error("binding volumes: pod does not exist any more");
  try {
    return changes.areBound(info.node);
  } catch (error) {
    throw new Error(`binding volumes: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function helps(pod: Pod, event: ClusterEvent): boolean {
  if (event.type === "nodeAdded" || isOwnClaim(pod, event, "added", "updated")) return true;
  if (event.type === "nodeUpdated") return !deepEqual(event.old.metadata.labels, event.node.metadata.labels);
  const volume = changeOf(persistentVolumes, event);
  if (volume !== undefined) return volume.object !== undefined;
  const { old, object } = changeOf(storageClasses, event) ?? {};
  if (object !== undefined)
    return old === undefined || !deepEqual(old.allowedTopologies, object.allowedTopologies);
  return givesSpace(pod, event);
}

/** Reports whether a segment of storage has more space, or a driver of the Pod no longer reports its space. */
function givesSpace({ spec }: Pod, event: ClusterEvent): boolean {
  const capacity = changeOf(csiStorageCapacities, event);
  if (capacity?.object !== undefined) {
    if (capacity.old === undefined) return true;
    const [before, now] = [capacity.old, capacity.object].map(limitOf);
    return now !== undefined && (before === undefined || now > before);
  }
  const driver = changeOf(csiDrivers, event);
  if (driver?.old === undefined || driver.object === undefined) return false;
  const isOwn = (spec.volumes ?? []).some(({ csi }) => csi?.driver === driver.object?.metadata.name);
  return isOwn && driver.old.spec.storageCapacity === true && driver.object.spec.storageCapacity !== true;
}
