import type { Node, NodeCondition } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import { formatTime } from "../../util/clock.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";

/** A node without a heartbeat for this long is unreachable (upstream `--node-monitor-grace-period`). */
export const graceMs = 40_000;
/** The same for a node that has never reported (upstream `--node-startup-grace-period`). */
const startupGraceMs = 60_000;

export const notReadyTaint = "node.kubernetes.io/not-ready";
export const unreachableTaint = "node.kubernetes.io/unreachable";

/** Conditions that add a NoSchedule taint while they are True. */
const conditionTaints: readonly { readonly type: string; readonly key: string }[] = [
  { type: "MemoryPressure", key: "node.kubernetes.io/memory-pressure" },
  { type: "DiskPressure", key: "node.kubernetes.io/disk-pressure" },
  { type: "PIDPressure", key: "node.kubernetes.io/pid-pressure" },
  { type: "NetworkUnavailable", key: "node.kubernetes.io/network-unavailable" },
];

const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Returns the greatest time between heartbeats. A new node has longer until its first report. */
export function patienceMs({ status }: Node): number {
  return findCondition(status.conditions, "Ready") === undefined ? startupGraceMs : graceMs;
}

/**
 * Returns the conditions of a node whose last heartbeat was at `heardAt`: Unknown once the grace period has
 * passed. Undefined within the grace period, and when nothing changes.
 */
export function silentConditions(
  node: Node,
  heardAt: number,
  now: number,
): readonly NodeCondition[] | undefined {
  if (now - heardAt <= patienceMs(node)) return undefined;
  const present = node.status.conditions ?? [];
  const stale = reported.filter((type) => present.find((one) => one.type === type)?.status !== "Unknown");
  if (stale.length === 0) return undefined;
  const time = formatTime(now);
  const { creationTimestamp: createdAt } = node.metadata;
  const unknown = reported.map((type): NodeCondition => {
    const old = present.find((one) => one.type === type);
    if (old === undefined) {
      const reason = "NodeStatusNeverUpdated";
      return {
        type,
        status: "Unknown",
        reason,
        message: "Kubelet never posted node status.",
        ...(createdAt === undefined ? {} : { lastHeartbeatTime: createdAt }),
        lastTransitionTime: time,
      };
    }
    if (old.status === "Unknown") return old;
    return {
      ...old,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime: time,
    };
  });
  return [...present.filter(({ type }) => !reported.includes(type)), ...unknown];
}

/** The time at which the Pods of a node that is not ready are evicted. "later" keeps a present eviction. */
export type Eviction = "now" | "later" | "never";

/** Returns the taints that a node's state requires, beside those that users set (KEP-382, KEP-166). */
export function taintsFor(node: Node, now: number, eviction: Eviction = "now"): readonly Taint[] {
  const status = (type: string) => findCondition(node.status.conditions, type)?.status;
  const ready = status("Ready");
  const key = ready === "True" ? undefined : ready === "Unknown" ? unreachableTaint : notReadyTaint;
  const pressing = conditionTaints.filter(({ type }) => status(type) === "True").map((one) => one.key);
  const wanted: Taint[] = pressing.map((one) => ({ key: one, effect: "NoSchedule" }));
  if (node.spec.unschedulable === true)
    wanted.push({ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" });
  if (key !== undefined) {
    wanted.push({ key, effect: "NoSchedule" });
    // A node that has never been ready has no Pods to evict.
    const evicts = eviction === "now" || (eviction === "later" && isEvicted(node));
    if (ready !== undefined && evicts) wanted.push({ key, effect: "NoExecute", timeAdded: formatTime(now) });
  }
  const ours = new Set([
    notReadyTaint,
    unreachableTaint,
    "node.kubernetes.io/unschedulable",
    ...conditionTaints.map((one) => one.key),
  ]);
  const present = node.spec.taints ?? [];
  const same = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect;
  return [
    ...present.filter((taint) => !ours.has(taint.key)),
    ...wanted.map((taint) => present.find((one) => same(one, taint)) ?? taint),
  ];
}

/** Reports whether the node's Pods are evicted because it is not ready. */
export function isEvicted({ spec }: Node): boolean {
  return (spec.taints ?? []).some(
    ({ key, effect }) => effect === "NoExecute" && (key === notReadyTaint || key === unreachableTaint),
  );
}

/** Labels that have the values of their successors (upstream `labelReconcileInfo`). */
const betaLabels = [
  ["beta.kubernetes.io/os", "kubernetes.io/os"],
  ["beta.kubernetes.io/arch", "kubernetes.io/arch"],
] as const;

/** Returns the node's labels with the deprecated names of its system and its architecture. */
export function labelsFor({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> {
  const missing = betaLabels.flatMap(([beta, stable]) => {
    const value = labels[stable];
    return value === undefined || labels[beta] === value ? [] : [[beta, value] as const];
  });
  return missing.length === 0 ? labels : { ...labels, ...Object.fromEntries(missing) };
}

export function isReady({ status }: Node): boolean {
  return isConditionTrue(status.conditions, "Ready");
}

/**
 * Returns the Ready condition of a Pod on an unreachable node; undefined when the Pod is not ready already.
 */
export function lostCondition({ status }: Pod, now: number): PodCondition | undefined {
  const ready = findCondition(status.conditions, "Ready");
  if (ready?.status !== "True") return undefined;
  return { ...ready, status: "False", lastTransitionTime: formatTime(now) };
}
