import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodDisruptionBudget } from "../../api/policy/pod-disruption-budget/schema.ts";
import { type Cycle, rejectionOf } from "../decide/cycle.ts";
import { rejectionBesideNominated } from "../decide/nominated.ts";
import type { Candidate } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";
import { divideByBudgets } from "./budgets.ts";
import { byImportance, priorityOf } from "./importance.ts";

/** The reasons why a node is no candidate. */
export interface NoCandidate {
  readonly reasons: readonly string[];
}

/**
 * The fewest victims on a node: all less important Pods go at first; then as many as possible stay, the most important
 * ones first, and those whose budget allows no disruption before the others (scheduler `SelectVictimsOnNode`). Room
 * that is nominated to other Pods is not free. The cycle's states are left as they were.
 */
export function victimsOn(
  pod: Pod,
  original: NodeInfo,
  cycle: Cycle,
  budgets: readonly PodDisruptionBudget[],
  snapshot: Snapshot,
): Candidate | NoCandidate {
  const node = original.clone();
  const lower = [...node.pods.values()].filter((one) => priorityOf(one) < priorityOf(pod)).sort(byImportance);
  if (lower.length === 0) return { reasons: ["No preemption victims found for incoming pod"] };
  const states = [...cycle.filters, ...cycle.scores].map(({ state }) => state);
  const remove = (one: Pod) => {
    node.remove(one.metadata.uid ?? "");
    for (const state of states) state.removePod?.(one, node);
  };
  const add = (one: Pod) => {
    node.add(one);
    for (const state of states) state.addPod?.(one, node);
  };
  const rejectionNow = () => rejectionOf(cycle, node) ?? rejectionBesideNominated(pod, node, cycle, snapshot);
  for (const one of lower) remove(one);
  const rejection = rejectionNow();
  if (rejection !== undefined) {
    for (const one of lower) add(one);
    return { reasons: rejection.unfit.reasons };
  }
  const victims = new Set<Pod>();
  const { violating, others } = divideByBudgets(lower, budgets);
  for (const one of [...violating, ...others]) {
    add(one);
    if (rejectionNow() === undefined) continue;
    remove(one);
    victims.add(one);
  }
  for (const one of victims) add(one);
  return {
    node: node.name,
    victims: lower.filter((one) => victims.has(one)),
    violations: violating.filter((one) => victims.has(one)).length,
  };
}
