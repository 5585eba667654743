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
  /** Why the Pod must not enter the queue yet; undefined lets it in. */
  preEnqueue?(pod: Pod): string | undefined;
  /** Computes once for the Pod what `filter` and `score` need for each node. */
  prepare?(pod: Pod): unknown;
  /** Why the Pod cannot run on the node; undefined when it can. `prepared` is what `prepare` gave. */
  filter?(pod: Pod, node: NodeInfo, prepared: unknown): Unfit | undefined;
  /** How good the node is for the Pod: any number, made comparable by `normalize`. */
  score?(pod: Pod, node: NodeInfo, prepared: unknown): number;
  /** Brings the scores of all nodes to 0…100. Default: they are that already. */
  normalize?(scores: number[]): void;
  /** Whether a change of a node may make room for Pods that this plugin turned away. */
  helps?(old: Node | undefined, node: Node): boolean;
}

/** Why a node was turned away; several reasons count one by one in the message. */
export type Unfit = readonly string[];

export interface WeightedPlugin {
  readonly plugin: Plugin;
  /** What its scores count; 0 for one that does not score. */
  readonly weight: number;
}

export const maxScore = 100;

/** Scales scores so that the highest is 100; reversed, so that the lowest is. */
export function normalizeToMax(scores: number[], reverse = false): void {
  const max = Math.max(0, ...scores);
  for (const [index, score] of scores.entries()) {
    const scaled = max === 0 ? 0 : Math.floor((score * maxScore) / max);
    scores[index] = reverse ? maxScore - scaled : scaled;
  }
}
