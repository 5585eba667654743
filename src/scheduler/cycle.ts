import type { Pod } from "../api/core/pod/schema.ts";
import { type Random, randomInt } from "../util/random.ts";
import type { Plugin, WeightedPlugin } from "./framework.ts";
import type { NodeInfo } from "./node-info.ts";

/** The result of one attempt to schedule one Pod. */
export type Outcome =
  | { readonly type: "node"; readonly node: string }
  | { readonly type: "unschedulable"; readonly message: string; readonly plugins: ReadonlySet<string> };

export interface CycleInput {
  readonly pod: Pod;
  readonly nodes: readonly NodeInfo[];
  readonly plugins: readonly WeightedPlugin[];
  /** Breaks ties. */
  readonly random: Random;
  /** The index of the first node to filter: large clusters are not searched from the same end each time. */
  readonly start: number;
}

interface Prepared {
  readonly plugin: Plugin;
  readonly weight: number;
  readonly state: unknown;
}

/** Finds the best node for a Pod, or upstream's message why there is none. Pure but for the tie-break. */
export function scheduleOne({ pod, nodes, plugins, random, start }: CycleInput): Outcome {
  if (nodes.length === 0) {
    return { type: "unschedulable", message: "no nodes available to schedule pods", plugins: new Set() };
  }
  const prepared = plugins.map(({ plugin, weight }) => ({ plugin, weight, state: plugin.prepare?.(pod) }));
  const wanted = nodesToFind(nodes.length);
  const feasible: NodeInfo[] = [];
  const reasons = new Map<string, number>();
  const rejecting = new Set<string>();
  for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
    const node = nodes[(start + i) % nodes.length];
    if (node === undefined) continue;
    const unfit = rejection(pod, node, prepared);
    if (unfit === undefined) {
      feasible.push(node);
      continue;
    }
    rejecting.add(unfit.plugin);
    for (const reason of unfit.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const [only] = feasible;
  if (only === undefined)
    return { type: "unschedulable", message: fitError(nodes.length, reasons), plugins: rejecting };
  if (feasible.length === 1) return { type: "node", node: only.name };
  return { type: "node", node: best(pod, feasible, prepared, random).name };
}

function rejection(pod: Pod, node: NodeInfo, prepared: readonly Prepared[]) {
  for (const { plugin, state } of prepared) {
    const reasons = plugin.filter?.(pod, node, state);
    if (reasons !== undefined) return { plugin: plugin.name, reasons };
  }
  return undefined;
}

const minNodesToFind = 100;

/** The number of feasible nodes that ends the search: up to 100 all, of more a falling share, at least 100. */
export function nodesToFind(count: number): number {
  if (count <= minNodesToFind) return count;
  const percent = Math.max(5, 50 - Math.floor(count / 125));
  return Math.max(minNodesToFind, Math.floor((count * percent) / 100));
}

/** The message, as `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` (`FitError`). */
function fitError(count: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, times]) => `${times} ${reason}`).sort();
  return `0/${count} nodes are available: ${counted.join(", ")}.`;
}

function best(pod: Pod, nodes: readonly NodeInfo[], prepared: readonly Prepared[], random: Random): NodeInfo {
  const totals = nodes.map(() => 0);
  for (const { plugin, weight, state } of prepared) {
    if (plugin.score === undefined || weight === 0) continue;
    const scores = nodes.map((node) => plugin.score?.(pod, node, state) ?? 0);
    plugin.normalize?.(scores);
    for (const [index, score] of scores.entries()) totals[index] = (totals[index] ?? 0) + score * weight;
  }
  const highest = Math.max(...totals);
  const winners = nodes.filter((_, index) => totals[index] === highest);
  const winner = winners[randomInt(random, winners.length)];
  if (winner === undefined) throw new TypeError("Cannot choose a node: none has the highest score");
  return winner;
}
