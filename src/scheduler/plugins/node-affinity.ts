import type { Node } from "../../api/core/node/schema.ts";
import type { PluginArguments } from "../configuration/arguments.ts";
import { normalizeToMax, type Plugin, unresolvable } from "../framework.ts";
import { matchesNodeSelector, matchesTerm, nodeSelectionOf } from "../../api/core/node-selection.ts";

const unfit = unresolvable("node(s) didn't match Pod's node affinity/selector");
const notAdded = unresolvable("node(s) didn't match scheduler-enforced node affinity");

/**
 * Filters by `nodeSelector` and required node affinity; scores by preferred node affinity. `addedAffinity` holds for all
 * Pods, beside their own rules.
 */
export function nodeAffinity({ addedAffinity }: NonNullable<PluginArguments["NodeAffinity"]> = {}): Plugin {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const addedWishes = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const isAdded = (node: Node) => added === undefined || added.some((term) => matchesTerm(term, node));
  return {
    name: "NodeAffinity",
    preFilter(pod) {
      const selection = nodeSelectionOf(pod);
      if (selection === undefined && added === undefined) return undefined;
      return {
        type: "filtering",
        ...(selection?.names === undefined ? {} : { nodes: selection.names }),
        filter({ node }) {
          if (!isAdded(node)) return notAdded;
          return selection === undefined || matchesNodeSelector(selection, node) ? undefined : unfit;
        },
      };
    },
    preScore({ spec }) {
      const own = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      const preferred = [...addedWishes, ...own];
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
      const matches = (node: Node) =>
        isAdded(node) && (selection === undefined || matchesNodeSelector(selection, node));
      if (event.type === "nodeAdded") return matches(event.node);
      return event.type === "nodeUpdated" && matches(event.node) && !matches(event.old);
    },
  };
}
