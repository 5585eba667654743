import type { Pod } from "../../api/core/pod/schema.ts";
import type { Logger } from "../../util/logger.ts";
import type { Random } from "../../util/random.ts";
import { randomInt } from "../../util/random.ts";
import {
  explain,
  explainRejection,
  type NodeRejection,
  prepareCycle,
  rejectionOf,
  totalScores,
} from "../decide/cycle.ts";
import type { Outcome } from "../decide/decider.ts";
import { rejectionBesideNominated } from "../decide/nominated.ts";
import { type Unfit, unresolvable, unschedulable, type WeightedPlugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Extender } from "./extender.ts";

/** The plugin that a Pod waits for when an extender has rejected a node: any event may help. */
export const extenderName = "Extender";

export interface ExtendedDecision {
  readonly plugins: readonly WeightedPlugin[];
  readonly snapshot: Snapshot;
  readonly random: Random;
  readonly log: Logger;
  /** Those that the Pod concerns. */
  readonly extenders: readonly Extender[];
}

/**
 * Chooses a node for a Pod that extenders decide about, too: they filter what the plugins accept, one after the other, and
 * add to the scores (scheduler `schedule_one.go`). @throws Error when an extender fails that is not ignorable
 */
export async function decideWithExtenders(pod: Pod, options: ExtendedDecision): Promise<Outcome> {
  const { plugins, snapshot } = options;
  const cycle = prepareCycle(pod, plugins, snapshot);
  if ("rejection" in cycle) {
    const error = explainRejection(cycle.plugin, cycle.rejection, snapshot.nodes.length);
    return { type: "unschedulable", error };
  }
  const rejections = new Map<NodeInfo, NodeRejection>();
  const feasible = snapshot.nodes.filter((node) => {
    const rejection = rejectionOf(cycle, node) ?? rejectionBesideNominated(pod, node, cycle, snapshot);
    if (rejection !== undefined) rejections.set(node, rejection);
    return rejection === undefined && (cycle.nodes?.has(node.name) ?? true);
  });
  const left = await filtered(pod, feasible, rejections, options);
  if (left.length === 0)
    return { type: "unschedulable", error: explain(snapshot.nodes, (node) => rejections.get(node)) };
  const totals = await withPriorities(pod, left, totalScores(cycle, left), options);
  return { type: "node", node: bestOf(left, totals, options.random) };
}

/** The nodes that all extenders accept. Notes the reasons against the others. */
async function filtered(
  pod: Pod,
  feasible: readonly NodeInfo[],
  rejections: Map<NodeInfo, NodeRejection>,
  { extenders, snapshot, log }: ExtendedDecision,
): Promise<readonly NodeInfo[]> {
  const reject = (reasons: ReadonlyMap<string, string>, unfitOf: (reason: string) => Unfit) => {
    for (const [name, reason] of reasons) {
      const node = snapshot.node(name);
      if (node !== undefined) rejections.set(node, { plugin: extenderName, unfit: unfitOf(reason) });
    }
  };
  let left = feasible;
  for (const extender of extenders) {
    if (left.length === 0) break;
    try {
      const { nodes, failed, unresolvable: never } = await extender.filter(pod, left);
      reject(failed, unschedulable);
      reject(never, unresolvable);
      left = nodes;
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      log.info("an extender was skipped", { extender: extender.url, error: String(error) });
    }
  }
  return left;
}

/** Adds the extenders' scores. One that fails does not count, as upstream. */
async function withPriorities(
  pod: Pod,
  nodes: readonly NodeInfo[],
  totals: readonly number[],
  { extenders, log }: ExtendedDecision,
): Promise<readonly number[]> {
  const given = await Promise.all(
    extenders.map(async (extender) => {
      try {
        return await extender.prioritize(pod, nodes);
      } catch (error) {
        log.warn("an extender gave no scores", { extender: extender.url, error: String(error) });
        return new Map<string, number>();
      }
    }),
  );
  return nodes.map(({ name }, i) =>
    given.reduce((sum, scores) => sum + (scores.get(name) ?? 0), totals[i] ?? 0),
  );
}

/** One of the nodes with the highest total. */
function bestOf(nodes: readonly NodeInfo[], totals: readonly number[], random: Random): NodeInfo {
  const highest = Math.max(...totals);
  const best = nodes.filter((_, i) => totals[i] === highest);
  const chosen = best[randomInt(random, best.length)];
  if (chosen === undefined) throw new RangeError("there is no node to choose from");
  return chosen;
}
