import { tolerates } from "../../api/core/tolerations.ts";
import type { Node, NodeCondition } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import { formatTime } from "../../util/clock.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";

/** A node whose agent has been silent for so long is taken to be lost (upstream `--node-monitor-grace-period`). */
export const graceMs = 40_000;
/** The same for a node that has never reported (upstream `--node-startup-grace-period`). */
const startupGraceMs = 60_000;

export const notReadyTaint = "node.kubernetes.io/not-ready";
export const unreachableTaint = "node.kubernetes.io/unreachable";

/** Conditions that keep new Pods away while they hold. */
const conditionTaints: readonly { readonly type: string; readonly key: string }[] = [
  { type: "MemoryPressure", key: "node.kubernetes.io/memory-pressure" },
  { type: "DiskPressure", key: "node.kubernetes.io/disk-pressure" },
  { type: "PIDPressure", key: "node.kubernetes.io/pid-pressure" },
  { type: "NetworkUnavailable", key: "node.kubernetes.io/network-unavailable" },
];

const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** How long a node may be silent: a new one takes its time until it reports for the first time. */
export function patienceMs({ status }: Node): number {
  return findCondition(status.conditions, "Ready") === undefined ? startupGraceMs : graceMs;
}

/**
 * The conditions of a node whose agent was last heard of at `heardAt`: Unknown once it has been silent for too long,
 * since nobody knows. Undefined while it is heard, and when they read so already.
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

/**
 * The taints that a node's state calls for, beside those that users set (KEP-382, KEP-166).
 *
 * `someReady`: whether any node is ready. If none is, it is more likely that they cannot reach the API server than
 * that all of them have failed, and there is nowhere to go anyway: no Pod is driven off.
 */
export function taintsFor(node: Node, now: number, someReady = true): readonly Taint[] {
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
    if (ready !== undefined && someReady)
      wanted.push({ key, effect: "NoExecute", timeAdded: formatTime(now) });
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

export function isReady({ status }: Node): boolean {
  return isConditionTrue(status.conditions, "Ready");
}

/** What is said about a Pod before it is driven off. */
export function evictionCondition(now: number): PodCondition {
  return {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    lastTransitionTime: formatTime(now),
  };
}

/** The Ready condition of a Pod on a lost node; undefined when it is not ready as it is. */
export function lostCondition({ status }: Pod, now: number): PodCondition | undefined {
  const ready = findCondition(status.conditions, "Ready");
  if (ready?.status !== "True") return undefined;
  return { ...ready, status: "False", lastTransitionTime: formatTime(now) };
}

/** When a Pod must leave a node with these taints: now, at a time, or (undefined) never. */
export function evictionTime({ spec }: Pod, taints: readonly Taint[], now: number): number | undefined {
  const times = taints
    .filter(({ effect }) => effect === "NoExecute")
    .map((taint) => {
      const added = Date.parse(taint.timeAdded ?? "") || now;
      const tolerating = (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
      if (tolerating.length === 0) return now;
      const limits = tolerating.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
      return limits.length === 0 ? undefined : added + Math.max(0, Math.min(...limits)) * 1000;
    })
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
