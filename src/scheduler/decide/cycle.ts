import type { Pod } from "../../api/core/pod/schema.ts";
import type { Filtering, Plugin, Rejection, Scoring, Unfit, WeightedPlugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";

/** The reasons why no node is feasible. */
export interface FitError {
  readonly message: string;
  /** The plugins that rejected nodes, by name. */
  readonly plugins: ReadonlySet<string>;
  /** The nodes on which the removal of Pods may help, by name. */
  readonly resolvable: readonly string[];
}

/** The states of all plugins for one Pod, in the order of the profile. */
export interface Cycle {
  readonly filters: readonly { readonly name: string; readonly state: Filtering }[];
  readonly scores: readonly { readonly weight: number; readonly state: Scoring }[];
  /** The only nodes that can be feasible; undefined for all. */
  readonly nodes: ReadonlySet<string> | undefined;
}

/** PreFilter of all plugins, and PreScore. */
export function prepareCycle(
  pod: Pod,
  plugins: readonly WeightedPlugin[],
  snapshot: Snapshot,
): Cycle | { readonly plugin: string; readonly rejection: Rejection } {
  const filters: { name: string; state: Filtering }[] = [];
  const scores: { weight: number; state: Scoring }[] = [];
  let nodes: ReadonlySet<string> | undefined;
  for (const { plugin, weight } of plugins) {
    const state = plugin.preFilter?.(pod, snapshot);
    if (state?.type === "rejection") return { plugin: plugin.name, rejection: state };
    if (state !== undefined) {
      filters.push({ name: plugin.name, state });
      if (state.nodes !== undefined)
        nodes = nodes === undefined ? state.nodes : nodes.intersection(state.nodes);
    }
    const score = weight === 0 ? undefined : plugin.preScore?.(pod, snapshot);
    if (score !== undefined) scores.push({ weight, state: score });
  }
  return { filters, scores, nodes };
}

/** A plugin that rejects a node, with its reasons. */
export interface NodeRejection {
  readonly plugin: string;
  readonly unfit: Unfit;
}

/** The first plugin that rejects the node, with its reasons; undefined for a feasible node. */
export function rejectionOf({ filters }: Pick<Cycle, "filters">, node: NodeInfo): NodeRejection | undefined {
  for (const { name, state } of filters) {
    const unfit = state.filter(node);
    if (unfit !== undefined) return { plugin: name, unfit };
  }
  return undefined;
}

/** The totals of nodes, which all are feasible: each plugin's scores, normalized and multiplied by its weight. */
export function totalScores({ scores }: Pick<Cycle, "scores">, nodes: readonly NodeInfo[]): number[] {
  const totals = nodes.map(() => 0);
  const cells = nodes.map((node) => ({ node, count: 1 }));
  for (const { state, weight } of scores) {
    state.begin?.(cells);
    const own = nodes.map((node) => state.score(node));
    state.normalize?.(own);
    for (const [i, score] of own.entries()) totals[i] = (totals[i] ?? 0) + score * weight;
  }
  return totals;
}

/** The message for the Pod's status and Event, as `0/3 nodes are available: 1 Insufficient cpu.` (`FitError`). */
export function explain(
  nodes: readonly NodeInfo[],
  rejectionOf: (node: NodeInfo) => NodeRejection | undefined,
): FitError {
  if (nodes.length === 0)
    return { message: "no nodes available to schedule pods", plugins: new Set(), resolvable: [] };
  const reasons = new Map<string, number>();
  const plugins = new Set<string>();
  const resolvable: string[] = [];
  for (const node of nodes) {
    const found = rejectionOf(node);
    if (found === undefined) continue;
    plugins.add(found.plugin);
    if (!found.unfit.unresolvable) resolvable.push(node.name);
    for (const reason of found.unfit.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const counted = [...reasons].map(([reason, times]) => `${times} ${reason}`).sort();
  return { message: `0/${nodes.length} nodes are available: ${counted.join(", ")}.`, plugins, resolvable };
}

/** Upstream's message when PreFilter rejects a Pod. */
export function explainRejection(plugin: Plugin["name"], { reason }: Rejection, count: number): FitError {
  const message = `0/${count} nodes are available: ${reason}.`;
  return { message, plugins: new Set([plugin]), resolvable: [] };
}
