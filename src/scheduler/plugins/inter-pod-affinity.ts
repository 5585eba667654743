import type { PluginArguments } from "../configuration/arguments.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { hasTerms, selects, type Term, termsOf, type WeightedTerm } from "../affinity-terms.ts";
import {
  type Filtering,
  maxScore,
  type Plugin,
  type Scoring,
  unresolvable,
  unschedulable,
} from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";
import { DomainCounts, isUnique } from "./topology-domains.ts";

const missesAffinity = unresolvable("node(s) didn't match pod affinity rules");
const meetsAntiAffinity = unschedulable("node(s) didn't match pod anti-affinity rules");
const meetsExistingAntiAffinity = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

/** Filters and scores by terms about other Pods: those of the Pod, and those of the Pods that are there. */
export function interPodAffinity(args: PluginArguments["InterPodAffinity"] = {}): Plugin {
  return {
    name: "InterPodAffinity",
    preFilter: (pod, snapshot) => new AffinityFilter(pod, snapshot),
    preScore: (pod, snapshot) => new AffinityScore(pod, snapshot, args),
    helps(pod, event) {
      switch (event.type) {
        case "nodeAdded":
        case "nodeUpdated":
        case "namespaceChanged":
          return hasTerms(pod);
        case "podAssigned":
        case "assignedPodUpdated":
          // A Pod to be near to may have come.
          return termsOf(pod).requiredAffinity.length > 0;
        case "podRemoved":
          // A Pod to be far from may have gone.
          return (
            termsOf(pod).requiredAntiAffinity.length > 0 || termsOf(event.pod).requiredAntiAffinity.length > 0
          );
        case "nodeDeleted":
        case "objectChanged":
          return false;
      }
    },
  };
}

/** Counts by topology key, then by domain. */
class Counts {
  readonly #keys = new Map<string, DomainCounts>();
  readonly #unique = new Map<string, boolean>();
  readonly #snapshot: Snapshot;
  #total = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The number of keys: another key divides the nodes anew. */
  get division(): number {
    return this.#keys.size;
  }

  /** True when nothing is counted. */
  get empty(): boolean {
    return this.#total === 0;
  }

  add(key: string, node: NodeInfo, amount: number): void {
    const domain = node.label(key);
    if (domain === undefined) return;
    let counts = this.#keys.get(key);
    if (counts === undefined) {
      this.#keys.set(key, (counts = new DomainCounts()));
      this.#unique.set(key, isUnique(key, this.#snapshot.nodes));
    }
    counts.add(domain, amount);
    this.#total += amount;
  }

  /** The count of the node's domain. */
  at(key: string, node: NodeInfo): number {
    const domain = node.label(key);
    return domain === undefined ? 0 : (this.#keys.get(key)?.get(domain) ?? 0);
  }

  /** The sum over all keys, each for the node's domain. */
  sumAt(node: NodeInfo): number {
    let sum = 0;
    for (const key of this.#keys.keys()) sum += this.at(key, node);
    return sum;
  }

  hasAny(node: NodeInfo): boolean {
    if (this.empty) return false;
    for (const key of this.#keys.keys()) if (this.at(key, node) > 0) return true;
    return false;
  }

  /** Equal for nodes of one domain; of a key that divides all nodes, for nodes of one count. */
  cellOf(node: NodeInfo): string {
    let cell = "";
    for (const [key, isUnique] of this.#unique) {
      cell += isUnique ? `${this.at(key, node)},` : `${JSON.stringify(node.label(key))},`;
    }
    return cell;
  }
}

class AffinityFilter implements Filtering {
  readonly type = "filtering";
  readonly #pod: Pod;
  readonly #snapshot: Snapshot;
  readonly #affinity: readonly Term[];
  readonly #antiAffinity: readonly Term[];
  /** Pods that the Pod's own terms select. */
  readonly #near: Counts;
  readonly #far: Counts;
  /** Pods whose anti-affinity selects the Pod. */
  readonly #repelling: Counts;

  constructor(pod: Pod, snapshot: Snapshot) {
    this.#pod = pod;
    this.#snapshot = snapshot;
    const { requiredAffinity, requiredAntiAffinity } = termsOf(pod);
    this.#affinity = requiredAffinity;
    this.#antiAffinity = requiredAntiAffinity;
    this.#near = new Counts(snapshot);
    this.#far = new Counts(snapshot);
    this.#repelling = new Counts(snapshot);
    if (requiredAffinity.length + requiredAntiAffinity.length === 0) {
      for (const { pod: other, node } of snapshot.podsWithTerms()) this.#count(other, node, 1);
      return;
    }
    for (const node of snapshot.nodes) for (const other of node.pods.values()) this.#count(other, node, 1);
  }

  addPod(pod: Pod, node: NodeInfo): void {
    this.#count(pod, node, 1);
  }

  removePod(pod: Pod, node: NodeInfo): void {
    this.#count(pod, node, -1);
  }

  #count(other: Pod, node: NodeInfo, sign: 1 | -1): void {
    for (const term of termsOf(other).requiredAntiAffinity) {
      if (selects(term, this.#pod, this.#snapshot)) this.#repelling.add(term.topologyKey, node, sign);
    }
    if (this.#affinity.length > 0 && this.#affinity.every((term) => selects(term, other, this.#snapshot))) {
      for (const { topologyKey } of this.#affinity) this.#near.add(topologyKey, node, sign);
    }
    for (const term of this.#antiAffinity) {
      if (selects(term, other, this.#snapshot)) this.#far.add(term.topologyKey, node, sign);
    }
  }

  get division(): number {
    return this.#near.division + this.#far.division + this.#repelling.division;
  }

  cellOf(node: NodeInfo): string {
    let labels = "";
    // Whether the labels are there decides too.
    for (const { topologyKey } of this.#affinity) labels += node.label(topologyKey) === undefined ? "0" : "1";
    return `${labels};${this.#near.cellOf(node)};${this.#far.cellOf(node)};${this.#repelling.cellOf(node)}`;
  }

  filter(node: NodeInfo) {
    if (!this.#isNear(node)) return missesAffinity;
    if (!this.#far.empty && this.#antiAffinity.some(({ topologyKey }) => this.#far.at(topologyKey, node) > 0))
      return meetsAntiAffinity;
    return this.#repelling.hasAny(node) ? meetsExistingAntiAffinity : undefined;
  }

  #isNear(node: NodeInfo): boolean {
    let all = true;
    for (const { topologyKey } of this.#affinity) {
      if (node.label(topologyKey) === undefined) return false;
      all &&= this.#near.at(topologyKey, node) > 0;
    }
    // The first of a group of Pods that want to be near to each other goes anywhere.
    return (
      all || (this.#near.empty && this.#affinity.every((term) => selects(term, this.#pod, this.#snapshot)))
    );
  }
}

class AffinityScore implements Scoring {
  readonly #pod: Pod;
  readonly #snapshot: Snapshot;
  readonly #wishes: readonly WeightedTerm[];
  readonly #scores: Counts;
  /** The weight of other Pods' required terms. */
  readonly #requiredWeight: number;
  readonly #ignoresOthersWishes: boolean;

  constructor(pod: Pod, snapshot: Snapshot, args: NonNullable<PluginArguments["InterPodAffinity"]>) {
    this.#pod = pod;
    this.#snapshot = snapshot;
    this.#requiredWeight = args.hardPodAffinityWeight ?? 1;
    this.#ignoresOthersWishes = args.ignorePreferredTermsOfExistingPods ?? false;
    const { preferredAffinity, preferredAntiAffinity } = termsOf(pod);
    const negative = preferredAntiAffinity.map((term) => ({ ...term, weight: -term.weight }));
    this.#wishes = [...preferredAffinity, ...negative];
    this.#scores = new Counts(snapshot);
    if (this.#wishes.length === 0) {
      for (const { pod: other, node } of snapshot.podsWithTerms()) this.#count(other, node, 1);
      return;
    }
    for (const node of snapshot.nodes) for (const other of node.pods.values()) this.#count(other, node, 1);
  }

  addPod(pod: Pod, node: NodeInfo): void {
    this.#count(pod, node, 1);
  }

  removePod(pod: Pod, node: NodeInfo): void {
    this.#count(pod, node, -1);
  }

  #count(other: Pod, node: NodeInfo, sign: 1 | -1): void {
    for (const term of this.#wishes) {
      if (selects(term, other, this.#snapshot)) this.#scores.add(term.topologyKey, node, sign * term.weight);
    }
    const { requiredAffinity, preferredAffinity, preferredAntiAffinity } = termsOf(other);
    const count = (term: Term, weight: number) => {
      if (selects(term, this.#pod, this.#snapshot)) this.#scores.add(term.topologyKey, node, sign * weight);
    };
    for (const term of requiredAffinity) count(term, this.#requiredWeight);
    if (this.#ignoresOthersWishes) return;
    for (const term of preferredAffinity) count(term, term.weight);
    for (const term of preferredAntiAffinity) count(term, -term.weight);
  }

  get division(): number {
    return this.#scores.division;
  }

  cellOf(node: NodeInfo): string {
    return this.#scores.cellOf(node);
  }

  score(node: NodeInfo): number {
    return this.#scores.sumAt(node);
  }

  normalize(scores: number[]): void {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const score of scores) {
      least = Math.min(least, score);
      most = Math.max(most, score);
    }
    const range = most - least;
    for (const [i, score] of scores.entries()) {
      scores[i] = range > 0 ? Math.trunc((maxScore * (score - least)) / range) : 0;
    }
  }
}
