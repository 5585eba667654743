import type { DaemonSet } from "../../api/apps/daemon-set/schema.ts";
import type { Node } from "../../api/core/node/schema.ts";
import { matchesNodeSelector, nodeSelectionOf } from "../../api/core/node-selection.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { toleratesAny } from "../../api/core/tolerations.ts";
import type { Toleration } from "../../api/core/v1/scheduling.ts";

/** Daemon Pods stay on nodes in trouble, and come to them (upstream `AddOrUpdateDaemonPodTolerations`). */
const alwaysTolerated: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

const toleratedOnHostNetwork: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The tolerations of daemon Pods: those of the template, and those that all daemon Pods have. */
export function tolerationsOf({ spec }: PodTemplateSpec): readonly Toleration[] {
  const own = spec.tolerations ?? [];
  const more = spec.hostNetwork === true ? [...alwaysTolerated, toleratedOnHostNetwork] : alwaysTolerated;
  const isOwn = (one: Toleration) =>
    own.some(
      ({ key, operator, effect }) => key === one.key && operator === one.operator && effect === one.effect,
    );
  return [...own, ...more.filter((one) => !isOwn(one))];
}

/** Decides whether a node should have a daemon Pod, and whether one that is there may stay (`NodeShouldRunDaemonPod`). */
export function placementOn(
  { spec: { template } }: DaemonSet,
  node: Node,
): { readonly shouldRun: boolean; readonly mayStay: boolean } {
  const { nodeName } = template.spec;
  const selection = nodeSelectionOf(template);
  const isSelected = selection === undefined || matchesNodeSelector(selection, node);
  if (!isSelected || (nodeName !== undefined && nodeName !== node.metadata.name))
    return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(template);
  const untolerated = (node.spec.taints ?? []).filter((taint) => !toleratesAny(tolerations, taint));
  return {
    shouldRun: untolerated.every(({ effect }) => effect === "PreferNoSchedule"),
    mayStay: untolerated.every(({ effect }) => effect !== "NoExecute"),
  };
}

/** The node that a daemon Pod is on, or is meant for; undefined for a Pod that names none. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName !== undefined) return spec.nodeName;
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = terms?.flatMap(({ matchFields = [] }) => matchFields);
  return fields?.find(({ key, operator }) => key === "metadata.name" && operator === "In")?.values?.[0];
}

/** The template's affinity with the one node that the Pod is for (`ReplaceDaemonSetPodNodeNameNodeAffinity`). */
export function affinityFor({ spec }: PodTemplateSpec, nodeName: string) {
  const { nodeAffinity, ...others } = spec.affinity ?? {};
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    ...others,
    nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}
