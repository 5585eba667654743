import type { Pod } from "../../api/core/pod/schema.ts";
import { LruMap } from "../../util/lru.ts";
import type { Random } from "../../util/random.ts";
import type { Plugin, WeightedPlugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";
import { classKey } from "./class-key.ts";
import {
  type Cycle,
  explain,
  explainRejection,
  type FitError,
  prepareCycle,
  rejectionOf,
  totalScores,
} from "./cycle.ts";
import { rejectionBesideNominated } from "./nominated.ts";
import { SchedulingClass } from "./scheduling-class.ts";

/** The result of one attempt to schedule one Pod. */
export type Outcome =
  | { readonly type: "node"; readonly node: NodeInfo }
  /** `group`: events help all Pods of a group that the same plugins have rejected, or none. */
  | { readonly type: "unschedulable"; readonly error: FitError; readonly group?: string };

export interface DeciderOptions {
  readonly plugins: readonly WeightedPlugin[];
  readonly snapshot: Snapshot;
  /** Breaks ties. */
  readonly random: Random;
}

interface Known {
  readonly cycle: Cycle;
  readonly class: SchedulingClass;
  /** The error of the last Pod of the class, as long as nothing has changed. */
  failure?: { readonly state: string; readonly error: FitError };
}

/** The number of candidates (nodes times classes) that are kept. */
const mostCandidates = 500_000;
const fewestClasses = 8;

/** Chooses nodes for Pods, and keeps for each scheduling class what it has found out. */
export class Decider {
  readonly #options: DeciderOptions;
  /** The plugins whose answers depend on more than the Pod, the nodes and their Pods. */
  readonly #keyed: readonly Plugin[];
  #classes = new LruMap<string, Known>(fewestClasses);
  #sizedFor = 0;

  constructor(options: DeciderOptions) {
    this.#options = options;
    this.#keyed = options.plugins.map(({ plugin }) => plugin).filter((plugin) => plugin.keyOf !== undefined);
  }

  decide(pod: Pod): Outcome {
    const { snapshot } = this.#options;
    const count = snapshot.nodes.length;
    if (count === 0) return unschedulable(noNodes);
    this.#resize(count);
    const key = classKey(pod, this.#keyed, snapshot);
    let known = this.#classes.get(key);
    if (known === undefined || !known.class.update()) {
      const made = this.#make(pod);
      if ("error" in made) return unschedulable(made.error, key);
      this.#classes.set(key, (known = made));
    }
    const node = this.#choose(pod, known);
    if (node !== undefined) return { type: "node", node };
    const state = `${snapshot.position}/${snapshot.nominationChanges}`;
    if (known.failure?.state !== state) {
      const rejection = (one: NodeInfo) =>
        rejectionOf(cycle, one) ?? rejectionBesideNominated(pod, one, cycle, snapshot);
      const { cycle } = known;
      known.failure = { state, error: explain(snapshot.nodes, rejection) };
    }
    return unschedulable(known.failure.error, key);
  }

  /** The best node that has room beside the Pods that are nominated to it. */
  #choose(pod: Pod, known: Known): NodeInfo | undefined {
    const { snapshot } = this.#options;
    const fits = (node: NodeInfo) => rejectionBesideNominated(pod, node, known.cycle, snapshot) === undefined;
    const nominated = snapshot.node(pod.status.nominatedNodeName ?? "");
    if (nominated !== undefined && known.class.accepts(nominated) && fits(nominated)) return nominated;
    const refused: NodeInfo[] = [];
    let best = known.class.best();
    while (best !== undefined && !fits(best)) {
      known.class.setAside(best);
      refused.push(best);
      best = known.class.best();
    }
    for (const node of refused) known.class.putBack(node);
    return best;
  }

  #make(pod: Pod): Known | { readonly error: FitError } {
    const { plugins, snapshot, random } = this.#options;
    const cycle = prepareCycle(pod, plugins, snapshot);
    if ("rejection" in cycle)
      return { error: explainRejection(cycle.plugin, cycle.rejection, snapshot.nodes.length) };
    return { cycle, class: new SchedulingClass(cycle, snapshot, random) };
  }

  #resize(count: number): void {
    if (count <= 2 * this.#sizedFor && count >= this.#sizedFor / 2) return;
    this.#sizedFor = count;
    this.#classes = new LruMap(Math.max(fewestClasses, Math.floor(mostCandidates / count)));
  }
}

const noNodes: FitError = {
  message: "no nodes available to schedule pods",
  plugins: new Set(),
  resolvable: [],
};

function unschedulable(error: FitError, group?: string): Outcome {
  return { type: "unschedulable", error, ...(group === undefined ? {} : { group }) };
}

/**
 * The best nodes for a Pod, by asking every plugin about every node: what `Decider` must agree with. Undefined: PreFilter
 * has rejected the Pod.
 */
export function bestNodes(
  pod: Pod,
  plugins: readonly WeightedPlugin[],
  snapshot: Snapshot,
): readonly NodeInfo[] {
  const cycle = prepareCycle(pod, plugins, snapshot);
  if ("rejection" in cycle) return [];
  const feasible = snapshot.nodes.filter(
    (node) => isAllowed(cycle, node) && rejectionOf(cycle, node) === undefined,
  );
  const totals = totalScores(cycle, feasible);
  const highest = Math.max(...totals);
  return feasible.filter((_, i) => totals[i] === highest);
}

function isAllowed({ nodes }: Cycle, { name }: NodeInfo): boolean {
  return nodes === undefined || nodes.has(name);
}
