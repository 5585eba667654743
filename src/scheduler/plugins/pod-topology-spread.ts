import type { PluginArguments } from "../configuration/arguments.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { TopologySpreadConstraint } from "../../api/core/v1/scheduling.ts";
import { type Selector, selectorOf } from "../../meta/labels.ts";
import {
  type Filtering,
  maxScore,
  type Plugin,
  type ScoredCell,
  type Scoring,
  unresolvable,
  unschedulable,
} from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { matchesNodeSelector, type NodeSelection, nodeSelectionOf } from "../../api/core/node-selection.ts";
import type { Snapshot } from "../snapshot.ts";
import { repellingTaint } from "../../api/core/tolerations.ts";
import { DomainCounts, isUnique } from "./topology-domains.ts";

const missesLabel = unresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);
const tooSkewed = unschedulable("node(s) didn't match pod topology spread constraints");

/** The constraints of Pods that have none themselves (`defaultingType: System`). */
export const systemConstraints: readonly TopologySpreadConstraint[] = [
  { maxSkew: 3, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
  { maxSkew: 5, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
];

/**
 * Keeps the Pods of a selector evenly spread over topology domains (KEP-895). `defaultConstraints` are for Pods that have
 * none themselves; selectors come from what owns or selects the Pod.
 */
export function podTopologySpread({
  defaultConstraints = [],
  defaultingType = "System",
}: NonNullable<PluginArguments["PodTopologySpread"]> = {}): Plugin {
  // With the system's own defaults, nodes that lack one of the labels are scored too.
  const isSystem = defaultingType === "System";
  const defaults = isSystem ? systemConstraints : defaultConstraints;
  const constraintsOf = (
    pod: Pod,
    snapshot: Snapshot,
    when: TopologySpreadConstraint["whenUnsatisfiable"],
  ) => {
    const own = pod.spec.topologySpreadConstraints ?? [];
    const chosen = (own.length > 0 ? own : defaults).filter((one) => one.whenUnsatisfiable === when);
    if (own.length > 0) return chosen.map((one) => new Constraint(one, selectorOf(one.labelSelector)));
    const selector = chosen.length === 0 ? undefined : snapshot.owners.selectorFor(pod);
    return selector === undefined ? [] : chosen.map((one) => new Constraint(one, selector));
  };
  return {
    name: "PodTopologySpread",
    preFilter(pod, snapshot) {
      const constraints = constraintsOf(pod, snapshot, "DoNotSchedule");
      return constraints.length === 0 ? undefined : new SpreadFilter(pod, constraints, snapshot);
    },
    preScore(pod, snapshot) {
      const constraints = constraintsOf(pod, snapshot, "ScheduleAnyway");
      if (constraints.length === 0) return undefined;
      const requiresAll = (pod.spec.topologySpreadConstraints ?? []).length > 0 || !isSystem;
      return new SpreadScore(pod, constraints, snapshot, requiresAll);
    },
    helps(pod, event) {
      const constraints = pod.spec.topologySpreadConstraints ?? [];
      if (constraints.length === 0) return false;
      switch (event.type) {
        case "nodeAdded":
        case "nodeUpdated":
        case "nodeDeleted":
          return true;
        case "podAssigned":
        case "podRemoved":
        case "assignedPodUpdated":
          return (
            event.pod.metadata.namespace === pod.metadata.namespace &&
            (event.type === "assignedPodUpdated" ||
              constraints.some(({ labelSelector }) =>
                selectorOf(labelSelector).matches(event.pod.metadata.labels),
              ))
          );
        case "namespaceChanged":
        case "objectChanged":
          return false;
      }
    },
  };
}

class Constraint {
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;

  constructor(constraint: TopologySpreadConstraint, selector: Selector) {
    this.key = constraint.topologyKey;
    this.maxSkew = constraint.maxSkew;
    this.minDomains = constraint.minDomains ?? 1;
    this.selector = selector;
    this.honorsAffinity = constraint.nodeAffinityPolicy !== "Ignore";
    this.honorsTaints = constraint.nodeTaintsPolicy === "Honor";
  }
}

/** A constraint with the counts of its domains. */
class Spread {
  readonly constraint: Constraint;
  readonly counts: DomainCounts;
  readonly isUnique: boolean;
  /** 1 when the Pod itself will be counted. */
  readonly self: number;

  constructor(constraint: Constraint, pod: Pod, snapshot: Snapshot) {
    this.constraint = constraint;
    this.counts = new DomainCounts();
    this.isUnique = isUnique(constraint.key, snapshot.nodes);
    this.self = constraint.selector.matches(pod.metadata.labels) ? 1 : 0;
  }

  /** Equal for nodes of one domain; of a key that divides all nodes, for nodes of one count. */
  cellOf(node: NodeInfo): string {
    const domain = node.label(this.constraint.key);
    if (domain === undefined) return "-";
    return this.isUnique ? `${this.counts.get(domain)}` : JSON.stringify(domain);
  }
}

/** The counts of all constraints of one Pod, kept up to date Pod by Pod. */
class Spreads {
  readonly all: readonly Spread[];
  readonly #namespace: string;
  readonly #selection: NodeSelection | undefined;
  readonly #tolerations: Pod["spec"]["tolerations"];
  readonly #needsAllLabels: boolean;

  constructor(pod: Pod, constraints: readonly Constraint[], snapshot: Snapshot, needsAllLabels: boolean) {
    this.all = constraints.map((one) => new Spread(one, pod, snapshot));
    this.#namespace = pod.metadata.namespace ?? "";
    this.#selection = nodeSelectionOf(pod);
    this.#tolerations = pod.spec.tolerations;
    this.#needsAllLabels = needsAllLabels;
    for (const node of snapshot.nodes) {
      for (const spread of this.all) {
        const domain = node.label(spread.constraint.key);
        if (domain !== undefined && this.#counts(spread, node)) spread.counts.open(domain);
      }
      for (const other of node.pods.values()) this.count(other, node, 1);
    }
  }

  count({ metadata }: Pod, node: NodeInfo, sign: 1 | -1): void {
    if (metadata.namespace !== this.#namespace || metadata.deletionTimestamp !== undefined) return;
    for (const spread of this.all) {
      const domain = node.label(spread.constraint.key);
      if (domain === undefined || !spread.constraint.selector.matches(metadata.labels)) continue;
      if (this.#counts(spread, node)) spread.counts.add(domain, sign);
    }
  }

  hasAllLabels(node: NodeInfo): boolean {
    return this.all.every(({ constraint }) => node.label(constraint.key) !== undefined);
  }

  cellOf(node: NodeInfo): string {
    let cell = "";
    for (const spread of this.all) cell += `${spread.cellOf(node)},`;
    return cell;
  }

  /** Reports whether a node takes part in a constraint (KEP-3094). */
  #counts({ constraint }: Spread, node: NodeInfo): boolean {
    if (this.#needsAllLabels && !this.hasAllLabels(node)) return false;
    const { honorsAffinity, honorsTaints } = constraint;
    if (honorsAffinity && this.#selection !== undefined && !matchesNodeSelector(this.#selection, node.node))
      return false;
    return !honorsTaints || repellingTaint(node.node.spec.taints, this.#tolerations) === undefined;
  }
}

class SpreadFilter implements Filtering {
  readonly type = "filtering";
  readonly #spreads: Spreads;

  constructor(pod: Pod, constraints: readonly Constraint[], snapshot: Snapshot) {
    this.#spreads = new Spreads(pod, constraints, snapshot, true);
  }

  addPod(pod: Pod, node: NodeInfo): void {
    this.#spreads.count(pod, node, 1);
  }

  removePod(pod: Pod, node: NodeInfo): void {
    this.#spreads.count(pod, node, -1);
  }

  cellOf(node: NodeInfo): string {
    return this.#spreads.cellOf(node);
  }

  filter(node: NodeInfo) {
    for (const { constraint, counts, self } of this.#spreads.all) {
      const domain = node.label(constraint.key);
      if (domain === undefined) return missesLabel;
      // With fewer domains than demanded, the emptiest one counts as empty.
      const least = counts.size < constraint.minDomains ? 0 : counts.least;
      if ((counts.get(domain) ?? 0) + self - least > constraint.maxSkew) return tooSkewed;
    }
    return undefined;
  }
}

class SpreadScore implements Scoring {
  readonly #spreads: Spreads;
  readonly #requiresAll: boolean;
  /** By constraint: the fewer domains, the less a Pod more in one of them counts. */
  #weights: readonly number[] = [];
  readonly #ignored: boolean[] = [];

  constructor(pod: Pod, constraints: readonly Constraint[], snapshot: Snapshot, requiresAll: boolean) {
    this.#spreads = new Spreads(pod, constraints, snapshot, requiresAll);
    this.#requiresAll = requiresAll;
  }

  addPod(pod: Pod, node: NodeInfo): void {
    this.#spreads.count(pod, node, 1);
  }

  removePod(pod: Pod, node: NodeInfo): void {
    this.#spreads.count(pod, node, -1);
  }

  cellOf(node: NodeInfo): string {
    return this.#spreads.cellOf(node);
  }

  begin(cells: readonly ScoredCell[]): void {
    const scored = cells.filter(({ node }) => !this.#isIgnored(node));
    this.#ignored.length = 0;
    for (const { node } of cells) this.#ignored.push(this.#isIgnored(node));
    this.#weights = this.#spreads.all.map(({ constraint, isUnique }) => {
      const size = isUnique
        ? scored.reduce((sum, { count }) => sum + count, 0)
        : new Set(scored.map(({ node }) => node.label(constraint.key)).filter((one) => one !== undefined))
            .size;
      return Math.log(size + 2);
    });
  }

  score(node: NodeInfo): number {
    if (this.#isIgnored(node)) return 0;
    let score = 0;
    for (const [i, { constraint, counts }] of this.#spreads.all.entries()) {
      const domain = node.label(constraint.key);
      if (domain === undefined) continue;
      score += (counts.get(domain) ?? 0) * (this.#weights[i] ?? 0) + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }

  normalize(scores: number[]): void {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (const [i, score] of scores.entries()) {
      if (this.#ignored[i] === true) continue;
      least = Math.min(least, score);
      most = Math.max(most, score);
    }
    for (const [i, score] of scores.entries()) {
      if (this.#ignored[i] === true) scores[i] = 0;
      else scores[i] = most === 0 ? maxScore : Math.floor((maxScore * (most + least - score)) / most);
    }
  }

  #isIgnored(node: NodeInfo): boolean {
    return this.#requiresAll && !this.#spreads.hasAllLabels(node);
  }
}
