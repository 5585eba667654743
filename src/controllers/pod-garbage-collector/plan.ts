import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodStatus } from "../../api/core/pod/status.ts";
import { disruptionTarget } from "../pods/disruption-target.ts";
import { isTerminal } from "../pods/pod-state.ts";
import { ascending } from "../../util/compare.ts";
import { isConditionTrue } from "../../meta/conditions.ts";

/** The number of terminated Pods that are kept for inspection (upstream `--terminated-pod-gc-threshold`). */
export const terminatedThreshold = 12_500;
/** A node that is missing for this long is not expected back. */
export const quarantineMs = 40_000;
const outOfServiceTaint = "node.kubernetes.io/out-of-service";

/** Returns the Pods on a node that no kubelet will stop any more. `node` is undefined when it is missing. */
export function podsToCollect(node: Node | undefined, pods: readonly Pod[]): readonly Pod[] {
  if (node === undefined) return pods;
  const ready = isConditionTrue(node.status.conditions, "Ready");
  const outOfService = (node.spec.taints ?? []).some(({ key }) => key === outOfServiceTaint);
  if (ready || !outOfService) return [];
  return pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

/** Returns the terminated Pods beyond the threshold: evicted Pods first, then the oldest. */
export function beyondThreshold(ended: readonly Pod[], threshold = terminatedThreshold): readonly Pod[] {
  if (ended.length <= threshold) return [];
  const evicted = ({ status }: Pod) => Number(status.phase === "Failed" && status.reason === "Evicted");
  const age = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.name}`;
  return ended
    .toSorted((a, b) => evicted(b) - evicted(a) || ascending(age(a), age(b)))
    .slice(0, ended.length - threshold);
}

/**
 * Returns the Failed status that the Pod gets before its deletion, for its owner to see; undefined when it
 * has terminated already.
 */
export function failedStatus(
  pod: Pod,
  nodeIsGone: boolean,
  now: number,
): Pick<PodStatus, "phase" | "conditions"> | undefined {
  if (isTerminal(pod)) return undefined;
  const disrupted = disruptionTarget("DeletionByPodGC", "PodGC: node no longer exists", now);
  return { phase: "Failed", ...(nodeIsGone ? { conditions: [disrupted] } : {}) };
}
