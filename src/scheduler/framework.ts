import type { Pod } from "../api/core/pod/schema.ts";
import type { PodDisruptionBudget } from "../api/policy/pod-disruption-budget/schema.ts";
import type { SelectorCompiler } from "../api/resource/selectors.ts";
import type { Client } from "../client/client.ts";
import type { EventSink } from "../client/event-recorder.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";
import type { Cache } from "../operator/cache.ts";
import type { Clock } from "../util/clock.ts";
import type { Random } from "../util/random.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import type { NodeInfo } from "./node-info.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The scheduling framework (KEP-624). A Pod passes the extension points in this order: PreEnqueue, QueueSort,
 * PreFilter, Filter, PostFilter (only if no node is feasible), PreScore, Score, NormalizeScore, Reserve, Permit,
 * PreBind, Bind, PostBind.
 *
 * The extension points up to NormalizeScore are synchronous and do no I/O. What PreFilter and PreScore return is the
 * state of a cycle, with Filter and Score as its methods. The state outlives its cycle: it serves all Pods of a
 * scheduling class, and `addPod` and `removePod` keep it up to date (`decide/scheduling-class.ts`).
 */
export interface Plugin {
  readonly name: string;
  /**
   * The kinds, other than Pods and nodes, that the plugin reads from `Handle.cache`. Decisions begin once they are synced;
   * their changes reach `helps` as `objectChanged`.
   */
  readonly reads?: readonly Kind[];
  /**
   * Names everything that the plugin's answers for the Pod depend on, beside the Pod itself, the nodes and their Pods: Pods
   * of one scheduling class have equal keys. Undefined: nothing.
   */
  keyOf?(pod: Pod): string | undefined;
  /**
   * PreEnqueue: the reason that keeps the Pod out of the queue; undefined admits it. Asked again when the Pod changes, and
   * when objects of the kinds in `reads` change.
   */
  preEnqueue?(pod: Pod): string | undefined;
  /** PreFilter: computes once what Filter needs; undefined when the plugin accepts every node for the Pod. */
  preFilter?(pod: Pod, snapshot: Snapshot): Filtering | Rejection | undefined;
  /** PostFilter: makes room for a Pod that fits on no node, or says why it cannot. The first plugin that can decides. */
  postFilter?(pod: Pod, context: PostFilterContext): Preemption | Promise<Preemption>;
  /** Reserve: takes what the Pod needs on the node, in memory. The reason why that is impossible; undefined when taken. */
  reserve?(pod: Pod, node: string): string | undefined;
  /** Unreserve: gives back what `reserve` took, because a later step has failed. Also called where `reserve` failed. */
  unreserve?(pod: Pod, node: string): void;
  /** Permit: holds the binding back. The reason why the Pod must not be bound; undefined when it may. */
  permit?(pod: Pod, node: string, signal: AbortSignal): Promise<string | undefined>;
  /** PreBind: prepares the node for the Pod, as by binding volumes. @throws when that fails */
  preBind?(pod: Pod, node: string, signal: AbortSignal): Promise<void>;
  /** Bind: binds the Pod in a way of its own. False leaves it to the next plugin, at last to the scheduler. @throws when it fails */
  bind?(pod: Pod, node: string, signal: AbortSignal): Promise<boolean>;
  /** PostBind: the Pod is bound. */
  postBind?(pod: Pod, node: string): void;
  /** PreScore: computes once what Score needs; undefined when all nodes would have the same score. */
  preScore?(pod: Pod, snapshot: Snapshot): Scoring | undefined;
  /**
   * Reports whether a change of the cluster may make a Pod schedulable that this plugin rejected (upstream's queueing
   * hints). Without `helps`, no change does, and the Pod is tried again after five minutes.
   */
  helps?(pod: Pod, event: ClusterEvent): boolean;
}

/** All that PostFilter decides from. */
export interface PostFilterContext {
  readonly snapshot: Snapshot;
  readonly plugins: readonly WeightedPlugin[];
  readonly budgets: readonly PodDisruptionBudget[];
  /** The nodes on which the removal of Pods may help, by name. */
  readonly resolvable: readonly string[];
  /** Chooses the node with which a search begins. */
  readonly random: Random;
  /**
   * Returns the candidates that extenders leave. Undefined when none takes part in preemption.
   * @throws Error when an extender fails that is not ignorable
   */
  readonly extend?: ((candidates: readonly Candidate[]) => Promise<readonly Candidate[]>) | undefined;
}

export type Preemption =
  | { readonly type: "preempt"; readonly candidate: Candidate }
  /** `why` continues the message of the failed attempt. `isUnderWay`: the victims of an earlier attempt are terminating. */
  | { readonly type: "none"; readonly why: string; readonly isUnderWay: boolean };

/** A node with the Pods whose removal makes room for the Pod. */
export interface Candidate {
  readonly node: string;
  /** The most important one first. */
  readonly victims: readonly Pod[];
  /** The number of victims whose removal violates a disruption budget. */
  readonly violations: number;
}

/** The state of a plugin that filters nodes for one Pod, or for all Pods of its class. */
export interface Filtering extends CycleState {
  readonly type: "filtering";
  /** The only nodes that can be feasible, by name; undefined for all (upstream's `PreFilterResult`). */
  readonly nodes?: ReadonlySet<string>;
  /** Filter: the reasons why the Pod cannot run on the node; undefined when it can. */
  filter(node: NodeInfo): Unfit | undefined;
}

/** The state of a plugin that scores nodes for one Pod, or for all Pods of its class. */
export interface Scoring extends CycleState {
  /** Sees the feasible nodes before they are scored: one node of each cell, with the number of nodes in the cell. */
  begin?(cells: readonly ScoredCell[]): void;
  /** Score: 0 to 100; any number for a plugin with `normalize`. */
  score(node: NodeInfo): number;
  /** NormalizeScore: scales the scores of all feasible nodes to 0…100, in place. */
  normalize?(scores: number[]): void;
}

export interface ScoredCell {
  readonly node: NodeInfo;
  readonly count: number;
}

/**
 * The state that PreFilter or PreScore has computed. Without `cellOf`, the answer for a node depends on nothing but the
 * node and its Pods.
 */
interface CycleState {
  /**
   * A plugin whose answer depends on other nodes too divides the nodes into cells. Nodes of one cell always get the same
   * answer. The cell of a node depends on nothing but the node and its Pods.
   */
  cellOf?(node: NodeInfo): string | number;
  /** Changes when the cells of all nodes must be computed anew. */
  readonly division?: number;
  /** Counts a Pod that came to a node, other than the Pods that PreFilter or PreScore has seen. */
  addPod?(pod: Pod, node: NodeInfo): void;
  /** Stops counting a Pod that left a node. */
  removePod?(pod: Pod, node: NodeInfo): void;
}

/** PreFilter has rejected the Pod, whatever the node. */
export interface Rejection {
  readonly type: "rejection";
  readonly reason: string;
  /** True when waiting for a change of the Pod itself, not of the cluster. */
  readonly unresolvable?: boolean;
}

/** A rejection of the Pod that no removal of Pods resolves. */
export function rejected(reason: string): Rejection {
  return { type: "rejection", reason, unresolvable: true };
}

/** The reasons why a node was rejected. */
export interface Unfit {
  /** The message counts each of the reasons. */
  readonly reasons: readonly string[];
  /** True when removing Pods from the node would not help: preemption leaves the node out. */
  readonly unresolvable: boolean;
}

/** A rejection that preemption may resolve. */
export function unschedulable(...reasons: readonly string[]): Unfit {
  return { reasons, unresolvable: false };
}

/** A rejection that no removal of Pods resolves. */
export function unresolvable(...reasons: readonly string[]): Unfit {
  return { reasons, unresolvable: true };
}

/** The part of a scheduler that its plugins may use (upstream's `Handle`). */
export interface Handle {
  /** Acts as the scheduler. */
  readonly client: Client;
  /** The objects of the kinds that the plugin names in `reads`. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  /** Records Events about a Pod, as the profile of the Pod. */
  readonly events: (pod: Pod) => EventSink;
  /** Compiles the expressions that select devices. */
  readonly compileSelector: SelectorCompiler;
  /** Calls back after each change of an object of a kind that the plugin names in `reads`: with its last state. */
  readonly observe: <K extends Kind>(kind: K, see: (object: ObjectOf<K>) => void) => void;
  /** Has the plugins asked anew about a node, by name: something has changed that matters for this node alone. */
  readonly touch: (node: string) => void;
}

/** The plugins of one scheduler, in the order in which filters run. Made anew for each scheduler. */
export type Profile = (handle: Handle) => readonly WeightedPlugin[];

export interface WeightedPlugin {
  readonly plugin: Plugin;
  /** The factor of its scores; 0 for a plugin that does not score. */
  readonly weight: number;
}

export const maxScore = 100;

/** Scales scores so that the highest is 100; with `reverse`, so that the lowest is (`helper.DefaultNormalizeScore`). */
export function normalizeToMax(scores: number[], reverse = false): void {
  let max = 0;
  for (const score of scores) max = Math.max(max, score);
  for (const [index, score] of scores.entries()) {
    const scaled = max === 0 ? 0 : Math.floor((score * maxScore) / max);
    scores[index] = reverse ? maxScore - scaled : scaled;
  }
}
