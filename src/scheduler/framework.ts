import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { NodeInfo } from "./node-info.ts";

/**
 * The scheduling framework (KEP-624): a Pod passes the extension points in this order, and plugins are pure
 * functions at each of them: PreEnqueue → PreFilter → Filter → (PostFilter) → PreScore → Score → Reserve → Bind.
 * Binding itself is the scheduler's own; no built-in plugin needs more.
 */
export interface Plugin {
  readonly name: string;
  /** The reason that keeps the Pod out of the queue; undefined admits it. */
  preEnqueue?(pod: Pod): string | undefined;
  /** Computes once for the Pod what `filter` and `score` need for each node. */
  prepare?(pod: Pod): unknown;
  /** The reasons why the Pod cannot run on the node; undefined when it can. `prepared`: the result of `prepare`. */
  filter?(pod: Pod, node: NodeInfo, prepared: unknown): Unfit | undefined;
  /** The score of the node for the Pod: any number, made comparable by `normalize`. */
  score?(pod: Pod, node: NodeInfo, prepared: unknown): number;
  /** Scales the scores of all nodes to 0…100. A plugin whose scores are in this range has none. */
  normalize?(scores: number[]): void;
  /** True when the change of a node may make it fit for Pods that this plugin rejected. */
  helps?(old: Node | undefined, node: Node): boolean;
}

/** The reasons why a node was rejected. The message counts each of them. */
export type Unfit = readonly string[];

export interface WeightedPlugin {
  readonly plugin: Plugin;
  /** The factor of its scores; 0 for a plugin that does not score. */
  readonly weight: number;
}

export const maxScore = 100;

/** Scales scores so that the highest is 100; with `reverse`, so that the lowest is. */
export function normalizeToMax(scores: number[], reverse = false): void {
  const max = Math.max(0, ...scores);
  for (const [index, score] of scores.entries()) {
    const scaled = max === 0 ? 0 : Math.floor((score * maxScore) / max);
    scores[index] = reverse ? maxScore - scaled : scaled;
  }
}
