import type { Namespace } from "../../api/core/namespace/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { NetworkPolicy } from "../../api/networking/network-policy/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Steps } from "../../util/steps.ts";
import { type Footprint, footprintOf, podLimit } from "./footprint.ts";
import { GroupIndex } from "./group-index.ts";
import { type PolicyPlan, planPolicy } from "./plan.ts";
import { NodeState } from "./node-state.ts";
import { SelectorIndex } from "./selector-index.ts";

/** The number of Pods that are looked at before other work gets a turn. */
const sliceSize = 200;
const nothing: Footprint = { elements: [], local: undefined, unused: [] };

/**
 * Computes the rules of one node from the objects of the cluster, change by change. A changed Pod is compared with the
 * policies and peers that can match its labels. A changed policy or namespace marks the Pods that it may concern.
 *
 * The state is complete after `settle`.
 */
export class PolicyIndex {
  readonly state: NodeState;
  readonly #nodeName: string;
  readonly #warn: (key: string, problem: string) => void;
  readonly #objects = new Map<string, NetworkPolicy>();
  /** The policies to plan again; undefined for deleted ones. */
  readonly #changed = new Map<string, NetworkPolicy | undefined>();
  readonly #policies = new Map<string, PolicyPlan>();
  readonly #policiesIn = new Map<string, SelectorIndex>();
  readonly #groups = new GroupIndex();
  readonly #pods = new Map<string, Map<string, Pod>>();
  /** The parts of the state that each Pod has added. */
  readonly #footprints = new Map<string, Footprint>();
  /** The Pods to look at again, as namespace and name. */
  readonly #dirty = new Map<string, readonly [namespace: string, name: string]>();

  /** `warn` is told each policy that allows less than its author wrote. */
  constructor(nodeName: string, warn: (policy: NetworkPolicy, problem: string) => void = () => {}) {
    this.#nodeName = nodeName;
    this.#warn = (key, problem) => {
      const policy = this.#objects.get(key);
      if (policy !== undefined) warn(policy, problem);
    };
    this.state = new NodeState(this.#warn);
  }

  setPolicy(policy: NetworkPolicy): void {
    this.#changed.set(`${policy.metadata.namespace}/${policy.metadata.name}`, policy);
  }

  deletePolicy(namespace: string, name: string): void {
    this.#changed.set(`${namespace}/${name}`, undefined);
  }

  setPod(pod: Pod): void {
    const { namespace = "", name = "" } = pod.metadata;
    let pods = this.#pods.get(namespace);
    if (pods === undefined) this.#pods.set(namespace, (pods = new Map()));
    pods.set(name, pod);
    this.#mark(namespace, name);
  }

  deletePod(namespace: string, name: string): void {
    const pods = this.#pods.get(namespace);
    pods?.delete(name);
    if (pods?.size === 0) this.#pods.delete(namespace);
    this.#mark(namespace, name);
  }

  setNamespace({ metadata: { name = "", labels = {} } }: Namespace): void {
    if (this.#groups.setNamespace(name, labels)) this.#markNamespace(name);
  }

  deleteNamespace(name: string): void {
    if (this.#groups.setNamespace(name, undefined)) this.#markNamespace(name);
  }

  /** Brings the state up to date with all changes. Between two steps it may be incomplete. */
  *settle(): Steps<void> {
    for (let count = 0; this.#changed.size > 0 || this.#dirty.size > 0;) {
      for (const [key, policy] of this.#changed) {
        this.#changed.delete(key);
        this.#plan(key, policy);
        yield;
      }
      for (const [key, [namespace, name]] of this.#dirty) {
        this.#dirty.delete(key);
        this.#look(key, this.#pods.get(namespace)?.get(name));
        if (++count % sliceSize === 0) yield;
      }
    }
  }

  #plan(key: string, policy: NetworkPolicy | undefined): void {
    const old = this.#policies.get(key);
    const next = policy && planPolicy(policy);
    if (policy === undefined || next === undefined) {
      this.#objects.delete(key);
      this.#policies.delete(key);
    } else {
      this.#objects.set(key, policy);
      this.#policies.set(key, next);
      if (next.problem !== undefined) this.#warn(key, next.problem);
    }
    if (old !== undefined || next !== undefined) this.#replace(old, next);
  }

  #look(key: string, pod: Pod | undefined): void {
    const old = this.#footprints.get(key) ?? nothing;
    const next = pod === undefined ? nothing : footprintOf(pod, this.#nodeName, this.#selections(pod));
    if (deepEqual(old, next)) return;
    const [unused] = next.unused;
    if (unused !== undefined) this.#warn(unused, `a Pod has more than ${podLimit} policies`);
    if (next === nothing) this.#footprints.delete(key);
    else this.#footprints.set(key, next);
    this.state.replacePod({ key, old, next, created: pod?.metadata.creationTimestamp ?? "" });
  }

  #selections({ metadata: { namespace = "" } }: Pod) {
    return {
      groupsOf: (labels: Pod["metadata"]["labels"]) => this.#groups.of(namespace, labels),
      policiesOf: (labels: Pod["metadata"]["labels"]) =>
        (this.#policiesIn.get(namespace)?.matching(labels) ?? []).flatMap(
          (key) => this.#policies.get(key) ?? [],
        ),
    };
  }

  #replace(old: PolicyPlan | undefined, next: PolicyPlan | undefined): void {
    for (const plan of [old, next]) if (plan !== undefined) this.#markSelected(plan);
    if (old !== undefined) {
      const index = this.#policiesIn.get(old.namespace);
      index?.delete(old.key, old.selector);
      if (index?.empty === true) this.#policiesIn.delete(old.namespace);
    }
    if (next !== undefined) {
      let index = this.#policiesIn.get(next.namespace);
      if (index === undefined) this.#policiesIn.set(next.namespace, (index = new SelectorIndex()));
      index.set(next.key, next.selector);
    }
    this.state.replacePolicy(old, next);
    // Added first, so that a group of both keeps its members.
    for (const group of next?.groups ?? []) this.#markNamespaces(this.#groups.add(group));
    for (const group of old?.groups ?? []) this.#markNamespaces(this.#groups.remove(group));
  }

  #markSelected({ namespace, selector }: PolicyPlan): void {
    for (const [name, { metadata }] of this.#pods.get(namespace) ?? [])
      if (selector.matches(metadata.labels)) this.#mark(namespace, name);
  }

  #markNamespaces(names: Iterable<string>): void {
    for (const name of names) this.#markNamespace(name);
  }

  #markNamespace(namespace: string): void {
    for (const name of this.#pods.get(namespace)?.keys() ?? []) this.#mark(namespace, name);
  }

  #mark(namespace: string, name: string): void {
    this.#dirty.set(`${namespace}/${name}`, [namespace, name]);
  }
}
