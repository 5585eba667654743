import type { Node } from "../../api/core/node/schema.ts";
import { normalizeToMax, type Plugin, unresolvable } from "../framework.ts";
import { repellingTaint, toleratesAny } from "../../api/core/tolerations.ts";

const unfit = unresolvable("node(s) had untolerated taint(s)");

/** Rejects nodes with a taint that the Pod does not tolerate; scores by PreferNoSchedule taints. */
export const taintToleration: Plugin = {
  name: "TaintToleration",
  preFilter: ({ spec: { tolerations } }) => ({
    type: "filtering",
    filter: ({ node }) => (repellingTaint(node.spec.taints, tolerations) === undefined ? undefined : unfit),
  }),
  preScore({ spec }) {
    const tolerations = (spec.tolerations ?? []).filter(
      ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
    );
    return {
      score: ({ node }) =>
        node.spec.taints?.filter(
          (taint) => taint.effect === "PreferNoSchedule" && !toleratesAny(tolerations, taint),
        ).length ?? 0,
      normalize: (scores) => normalizeToMax(scores, true),
    };
  },
  helps({ spec: { tolerations } }, event) {
    const isOpen = ({ spec }: Node) => repellingTaint(spec.taints, tolerations) === undefined;
    if (event.type === "nodeAdded") return isOpen(event.node);
    return event.type === "nodeUpdated" && !isOpen(event.old) && isOpen(event.node);
  },
};
