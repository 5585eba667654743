import { tolerates } from "../../api/core/tolerations.ts";
import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Taint, Toleration } from "../../api/core/v1/scheduling.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { normalizeToMax, type Plugin } from "../framework.ts";

/** Rejects nodes with a taint that the Pod does not tolerate; scores by PreferNoSchedule taints. */
export const taintToleration: Plugin = {
  name: "TaintToleration",
  filter({ spec }, { node }) {
    const repelling = (node.spec.taints ?? []).some(
      (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, spec.tolerations),
    );
    return repelling ? ["node(s) had untolerated taint(s)"] : undefined;
  },
  score: ({ spec }, { node }) =>
    (node.spec.taints ?? []).filter(
      (taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, spec.tolerations),
    ).length,
  normalize: (scores) => normalizeToMax(scores, true),
  helps: (old, node) => old === undefined || !deepEqual(old.spec.taints, node.spec.taints),
};

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Rejects cordoned nodes, unless the Pod tolerates their taint. */
export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  filter: ({ spec }: Pod, { node }: { node: Node }) =>
    node.spec.unschedulable === true && !isTolerated(unschedulableTaint, spec.tolerations)
      ? ["node(s) were unschedulable"]
      : undefined,
  helps: (old, node) =>
    node.spec.unschedulable !== true && (old === undefined || old.spec.unschedulable === true),
};

function isTolerated(taint: Taint, tolerations: readonly Toleration[] = []): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}
