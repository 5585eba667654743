import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Cycle, type NodeRejection, rejectionOf } from "./cycle.ts";

/**
 * The rejection of a node that is feasible, but not beside the Pods that are nominated to it and at least as important
 * (scheduler `RunFilterPluginsWithNominatedPods`). The cycle's states are left as they were.
 */
export function rejectionBesideNominated(
  pod: Pod,
  node: NodeInfo,
  cycle: Cycle,
  snapshot: Snapshot,
): NodeRejection | undefined {
  const nominated = snapshot
    .nominatedOn(node.name)
    .filter(
      ({ metadata, spec }) =>
        metadata.uid !== pod.metadata.uid && (spec.priority ?? 0) >= (pod.spec.priority ?? 0),
    );
  if (nominated.length === 0) return undefined;
  const crowded = node.clone();
  const states = cycle.filters.map(({ state }) => state);
  for (const one of nominated) {
    crowded.add(one);
    for (const state of states) state.addPod?.(one, crowded);
  }
  const rejection = rejectionOf(cycle, crowded);
  for (const one of nominated) for (const state of states) state.removePod?.(one, crowded);
  return rejection;
}
