import { hasResourceClaims } from "../../api/core/pod/references.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { deviceKey, poolKey } from "../../api/resource/device-key.ts";
import { type ResourceClaim, resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { type ResourceSlice, resourceSlices } from "../../api/resource/resource-slice/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { evict } from "../pods/evict.ts";
import { type Eviction, evictionCondition, executes, planEviction, type View } from "./plan.ts";

const reason = "DeviceTaintManagerEviction";

const poolOf = ({ spec }: ResourceSlice) => poolKey({ driver: spec.driver, pool: spec.pool.name });

const slicesOfPool = defineIndex<ResourceSlice>("pool", (slice) => [poolOf(slice)]);

const taintedDevicesOf = ({ spec }: ResourceSlice): readonly string[] =>
  (spec.devices ?? [])
    .filter(({ taints }) => taints?.some(executes) === true)
    .map(({ name }) => deviceKey({ driver: spec.driver, pool: spec.pool.name, device: name }));

const slicesByTaintedDevice = defineIndex<ResourceSlice>("tainted device", taintedDevicesOf);

const claimsOfDevice = defineIndex<ResourceClaim>("device", ({ status }) =>
  (status.allocation?.devices.results ?? []).map(deviceKey),
);

/**
 * Evicts Pods that do not tolerate, or no longer tolerate, the NoExecute taints of their devices (KEP-5055, upstream
 * `devicetainteviction`). Taints come from ResourceSlices alone: DeviceTaintRules are off by default.
 */
export function deviceTaintEvictionController(): Controller {
  /** By the Pod's key. */
  const evictions = new Map<string, Eviction>();
  return controller({
    name: "device-taint-eviction-controller",
    for: pods,
    filter: ({ object }) => hasResourceClaims(object),
    watches: [
      { kind: resourceClaims, map: consumersOf },
      { kind: resourceSlices, map: usersOf },
    ],
    workers: 8,
    async reconcile({ key, namespace, name, cache, client, env, events }) {
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined) {
        evictions.delete(key);
        return {};
      }
      const { uid = "" } = pod.metadata;
      const about = { apiVersion: "v1", kind: "Pod", metadata: { namespace, name, uid } };
      const now = env.clock.now();
      const plan = planEviction({ pod, view: viewOf(cache, namespace), planned: evictions.get(key) }, now);
      switch (plan.type) {
        case "nothing":
          return {};
        case "cancel":
          evictions.delete(key);
          events.event(about, "Normal", reason, "Cancelling deletion");
          return {};
        case "wait":
          evictions.set(key, { uid, isDone: false });
          return { requeueAfterMs: plan.ms };
        case "evict":
          events.event(about, "Normal", reason, "Marking for deletion");
          await evict(client, pod, evictionCondition(now));
          evictions.set(key, { uid, isDone: true });
          return {};
      }
    },
  });
}

function viewOf(cache: Cache, namespace: string): View {
  return {
    claim: (name) => cache.get(resourceClaims, namespace, name),
    slicesOf: (pool) => cache.list(resourceSlices, { index: slicesOfPool(pool) }),
    taintedSlicesOf: (device) => cache.list(resourceSlices, { index: slicesByTaintedDevice(device) }),
  };
}

/** The keys of the Pods that a claim is reserved for. */
function consumersOf({ metadata, status }: ResourceClaim): readonly string[] {
  return (status.reservedFor ?? [])
    .filter(({ apiGroup = "", resource }) => apiGroup === "" && resource === "pods")
    .map(({ name }) => `${metadata.namespace}/${name}`);
}

/** The keys of the Pods with devices that are tainted in the slice, or in a slice that counts, or not, because of it. */
function usersOf(slice: ResourceSlice, cache: Cache): Iterable<string> {
  const pool = cache.list(resourceSlices, { index: slicesOfPool(poolOf(slice)) });
  const others = pool.filter(({ metadata }) => metadata.name !== slice.metadata.name);
  const { generation } = slice.spec.pool;
  // The first and the last slice of a generation decide which one is the newest.
  const isOnly = others.every(({ spec }) => spec.pool.generation !== generation);
  const devices = [slice, ...(isOnly ? others : [])].flatMap(taintedDevicesOf);
  const claims = devices.flatMap((key) => cache.list(resourceClaims, { index: claimsOfDevice(key) }));
  return new Set(claims.flatMap(consumersOf));
}
