import { normalizeToMax, type Plugin, unresolvable } from "../framework.ts";
import { matchesNodeSelector, matchesTerm, nodeSelectionOf } from "../../api/core/node-selection.ts";

const unfit = unresolvable("node(s) didn't match Pod's node affinity/selector");

/** Filters by `nodeSelector` and required node affinity; scores by preferred node affinity. */
export const nodeAffinity: Plugin = {
  name: "NodeAffinity",
  preFilter(pod) {
    const selection = nodeSelectionOf(pod);
    if (selection === undefined) return undefined;
    return {
      type: "filtering",
      ...(selection.names === undefined ? {} : { nodes: selection.names }),
      filter: ({ node }) => (matchesNodeSelector(selection, node) ? undefined : unfit),
    };
  },
  preScore({ spec }) {
    const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
    return {
      score: ({ node }) =>
        preferred.reduce(
          (sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0),
          0,
        ),
      normalize: (scores) => normalizeToMax(scores),
    };
  },
  helps(pod, event) {
    const selection = nodeSelectionOf(pod);
    if (event.type === "nodeAdded")
      return selection === undefined || matchesNodeSelector(selection, event.node);
    if (event.type !== "nodeUpdated" || selection === undefined) return false;
    return matchesNodeSelector(selection, event.node) && !matchesNodeSelector(selection, event.old);
  },
};
