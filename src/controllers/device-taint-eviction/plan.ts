import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodResourceClaim } from "../../api/core/pod/spec.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import { type DeviceId, deviceKey, poolKey } from "../../api/resource/device-key.ts";
import { claimOfEntry, isReservedFor, notGeneratedFor } from "../../api/resource/resource-claim/of-pod.ts";
import type {
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../api/resource/resource-claim/schema.ts";
import type { ResourceSlice } from "../../api/resource/resource-slice/schema.ts";
import { toleratesTaint } from "../../api/resource/tolerations.ts";
import type { DeviceTaint } from "../../api/resource/v1/device.ts";
import { disruptionTarget } from "../pods/disruption-target.ts";

/** The objects that the eviction of a Pod depends on. */
export interface View {
  /** The claim of a name in the Pod's namespace. */
  readonly claim: (name: string) => ResourceClaim | undefined;
  /** The slices of a pool, of all generations. */
  readonly slicesOf: (pool: string) => readonly ResourceSlice[];
  /** Those of them that have a NoExecute taint on the device. */
  readonly taintedSlicesOf: (device: string) => readonly ResourceSlice[];
}

/**
 * The time at which a Pod must be evicted, in milliseconds since 1970; undefined while all taints of its devices are
 * tolerated (upstream `devicetainteviction/device_taint_eviction.go`). The claims of extended resources do not count.
 */
export function evictionTime(pod: Pod, view: View): number | undefined {
  if ((pod.spec.nodeName ?? "") === "") return undefined;
  const claims = (pod.spec.resourceClaims ?? []).flatMap((entry) => claimInUse(pod, entry, view) ?? []);
  const results = claims.flatMap(({ status }) => status.allocation?.devices.results ?? []);
  const times = results.flatMap((result) =>
    taintsOf(result, view).map((taint) => toleratedUntil(taint, result)),
  );
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  return first === Infinity ? undefined : first;
}

/** The claim of an entry, if it was made for the Pod and is reserved for it. */
function claimInUse(pod: Pod, entry: PodResourceClaim, view: View): ResourceClaim | undefined {
  const present = claimOfEntry(pod, entry);
  const claim = present.type === "claim" ? view.claim(present.name) : undefined;
  if (present.type !== "claim" || claim === undefined || !isReservedFor(pod, claim)) return undefined;
  return present.isGenerated && notGeneratedFor(pod, claim) !== undefined ? undefined : claim;
}

/** The NoExecute taints of a device in the newest generation of its pool. */
function taintsOf(id: DeviceId, view: View): readonly DeviceTaint[] {
  const tainted = view.taintedSlicesOf(deviceKey(id));
  if (tainted.length === 0) return [];
  const generations = view.slicesOf(poolKey(id)).map(({ spec }) => spec.pool.generation);
  const newest = generations.reduce((a, b) => Math.max(a, b), -Infinity);
  const devices = tainted.flatMap(({ spec }) =>
    spec.pool.generation === newest ? (spec.devices ?? []) : [],
  );
  return devices
    .filter(({ name }) => name === id.device)
    .flatMap(({ taints = [] }) => taints.filter(executes));
}

export const executes = ({ effect }: DeviceTaint) => effect === "NoExecute";

/**
 * The end of the toleration of a taint; Infinity when the taint is tolerated for ever. The shortest of the tolerations
 * counts. Only a toleration that names the effect NoExecute matters, though one without an effect lets a Pod schedule.
 */
function toleratedUntil(taint: DeviceTaint, { tolerations = [] }: DeviceRequestAllocationResult): number {
  // The server sets the time of each taint.
  const since = taint.timeAdded === undefined ? Infinity : Date.parse(taint.timeAdded);
  const seconds = tolerations
    .filter((one) => one.effect === "NoExecute" && toleratesTaint(one, taint))
    .map(({ tolerationSeconds = Infinity }) => tolerationSeconds);
  if (seconds.length === 0) return since;
  return seconds.includes(Infinity) ? Infinity : since + Math.max(0, Math.min(...seconds)) * 1000;
}

/** An eviction that is planned or done, remembered until it is cancelled or the Pod is gone. */
export interface Eviction {
  /** The Pod's. */
  readonly uid: string;
  readonly isDone: boolean;
}

export type Plan =
  | { readonly type: "nothing" }
  /** Drops the eviction that is planned. */
  | { readonly type: "cancel" }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "evict" };

export interface Observed {
  readonly pod: Pod;
  readonly view: View;
  /** The eviction of a Pod of this name. */
  readonly planned: Eviction | undefined;
}

/** Plans the eviction of a Pod. Its time follows the taints and the claims; a Pod is evicted once. */
export function planEviction({ pod, view, planned: last }: Observed, now: number): Plan {
  const { uid = "", deletionTimestamp } = pod.metadata;
  const planned = last?.uid === uid ? last : undefined;
  if (planned?.isDone === true || deletionTimestamp !== undefined) return { type: "nothing" };
  const at = evictionTime(pod, view);
  if (at === undefined) return { type: planned === undefined ? "nothing" : "cancel" };
  return at > now ? { type: "wait", ms: at - now } : { type: "evict" };
}

/** The condition that a Pod gets before its eviction. */
export function evictionCondition(now: number): PodCondition {
  return disruptionTarget(
    "DeletionByDeviceTaintManager",
    "Device Taint manager: deleting due to NoExecute taint",
    now,
  );
}
