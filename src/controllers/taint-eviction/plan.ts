import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import { tolerates } from "../../api/core/tolerations.ts";
import type { Taint, Toleration } from "../../api/core/v1/scheduling.ts";
import { disruptionTarget } from "../pods/disruption-target.ts";

/** An eviction of one Pod, remembered until it is cancelled or the Pod is gone. */
export interface Eviction {
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True once the Pod was told to end. */
  readonly isDone: boolean;
}

export type Plan =
  | { readonly type: "nothing" }
  /** Drops the eviction that is planned. */
  | { readonly type: "cancel" }
  | { readonly type: "wait"; readonly eviction: Eviction }
  | {
      readonly type: "evict";
      /** True if a later eviction was planned. */
      readonly isEarly: boolean;
    };

export interface Observed {
  readonly pod: Pod;
  /** The taints of the Pod's node; undefined without the node. */
  readonly taints: readonly Taint[] | undefined;
  readonly planned: Eviction | undefined;
}

/**
 * Plans the eviction of a Pod from a node with NoExecute taints (upstream `tainteviction/taint_eviction.go`). A planned
 * eviction keeps its time, even if the Pod's tolerations become longer or shorter.
 */
export function planEviction({ pod, taints, planned: last }: Observed, now: number): Plan {
  const { uid = "", deletionTimestamp } = pod.metadata;
  // The eviction of an earlier Pod of this name does not count.
  const planned = last?.uid === uid ? last : undefined;
  if (planned?.isDone === true || deletionTimestamp !== undefined) return { type: "nothing" };
  const leftMs =
    taints === undefined ? undefined : tolerationMs(pod.spec.tolerations ?? [], taints.filter(executes));
  if (leftMs === 0) return { type: "evict", isEarly: planned !== undefined && planned.at > now };
  // Without the node nothing is known, and what is planned goes on.
  if (leftMs === Infinity) return { type: planned === undefined ? "nothing" : "cancel" };
  if (planned !== undefined && planned.at <= now) return { type: "evict", isEarly: false };
  if (planned !== undefined) return { type: "wait", eviction: planned };
  return leftMs === undefined
    ? { type: "nothing" }
    : { type: "wait", eviction: { uid, at: now + leftMs, isDone: false } };
}

export const executes = ({ effect }: Taint) => effect === "NoExecute";

/**
 * The time for which all taints together are tolerated, in milliseconds; Infinity for ever, 0 not at all. The first
 * toleration that matches a taint counts.
 */
export function tolerationMs(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  const seconds = used.map((one) => (one === undefined ? 0 : (one.tolerationSeconds ?? Infinity)));
  return Math.max(0, Math.min(...seconds)) * 1000;
}

/** The condition that a Pod gets before its eviction. */
export function evictionCondition(now: number): PodCondition {
  return disruptionTarget("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", now);
}
