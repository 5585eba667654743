import { by } from "../../util/compare.ts";
import { allowsAny, denying, directions, type LocalPod, type PolicyPlan } from "./plan.ts";
import type { Footprint } from "./footprint.ts";

/** The parts of the state that may have changed, since a backend last saw it. */
export interface Changes {
  readonly pods: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
  /** The elements of each set; undefined for all. */
  readonly sets: ReadonlyMap<string, ReadonlySet<string> | undefined>;
}

/** The rules of one node: only the policies that select its Pods, and only the sets that these refer to. */
export interface Rules {
  /** False while the cluster has no policy, when nothing is restricted. */
  readonly active: boolean;
  /** The node's Pods, by address. */
  pod(address: string): LocalPod | undefined;
  readonly addresses: Iterable<string>;
  readonly policies: ReadonlyMap<string, PolicyPlan>;
  /** The elements of a set; undefined when no rule refers to it. */
  set(name: string): Elements | undefined;
  readonly setNames: Iterable<string>;
}

/** A set's elements, each with the number of Pods that add it. */
export type Elements = ReadonlyMap<string, number>;

interface PodChange {
  readonly key: string;
  readonly old: Footprint;
  readonly next: Footprint;
  /** The time of the Pod's creation. Of several Pods with one address, the newest has it. */
  readonly created: string;
}

interface Claim {
  readonly pod: LocalPod;
  readonly created: string;
}

/** The largest size of all policies of a node together. */
export const nodeLimit = 50_000;

/** The state that `PolicyIndex` keeps: counts of what Pods add and of what rules refer to. */
export class NodeState implements Rules {
  readonly #claims = new Map<string, Map<string, Claim>>();
  readonly #elements = new Map<string, Map<string, number>>();
  /** All policies; those in use are in `policies`. */
  readonly #known = new Map<string, PolicyPlan>();
  readonly #policyUsers = new Map<string, number>();
  readonly #setUsers = new Map<string, number>();
  readonly policies = new Map<string, PolicyPlan>();
  /** The policies in use that have no rules, because the node's limit is reached. */
  readonly #refused = new Set<string>();
  readonly #refuse: (key: string, problem: string) => void;
  /** The size of the policies in use. */
  #size = 0;
  #pods = new Set<string>();
  #policies = new Set<string>();
  #sets = new Map<string, Set<string> | undefined>();

  /** `refuse` is told each policy for which there is no room. */
  constructor(refuse: (key: string, problem: string) => void) {
    this.#refuse = refuse;
  }

  get active(): boolean {
    return this.#known.size > 0;
  }

  get addresses(): Iterable<string> {
    return this.#claims.keys();
  }

  get setNames(): Iterable<string> {
    return this.#setUsers.keys();
  }

  pod(address: string): LocalPod | undefined {
    const claims = [...(this.#claims.get(address) ?? [])];
    return claims.sort(by(([key, { created }]) => `${created} ${key}`)).at(-1)?.[1].pod;
  }

  set(name: string): Elements | undefined {
    return this.#setUsers.has(name) ? (this.#elements.get(name) ?? new Map()) : undefined;
  }

  /** Returns the parts that may have changed since the last call. */
  takeChanges(): Changes {
    const changes = { pods: this.#pods, policies: this.#policies, sets: this.#sets };
    this.#pods = new Set();
    this.#policies = new Set();
    this.#sets = new Map();
    return changes;
  }

  replacePod({ key, old, next, created }: PodChange): void {
    // Added first, so that what both have is never unused in between.
    for (const [set, element] of next.elements) this.#count(set, element, 1);
    for (const [set, element] of old.elements) this.#count(set, element, -1);
    if (next.local !== undefined) this.#usePolicies(next.local, 1);
    if (old.local !== undefined) {
      this.#usePolicies(old.local, -1);
      this.#release(old.local.address, key);
    }
    if (next.local !== undefined) this.#claim(key, { pod: next.local, created });
  }

  replacePolicy(old: PolicyPlan | undefined, next: PolicyPlan | undefined): void {
    const key = (next ?? old)?.key ?? "";
    if (next === undefined) this.#known.delete(key);
    else this.#known.set(key, next);
    if (this.#policyUsers.has(key)) this.#put(key, next);
  }

  #claim(key: string, claim: Claim): void {
    const { address } = claim.pod;
    let claims = this.#claims.get(address);
    if (claims === undefined) this.#claims.set(address, (claims = new Map()));
    claims.set(key, claim);
    this.#pods.add(address);
  }

  #release(address: string, key: string): void {
    const claims = this.#claims.get(address);
    claims?.delete(key);
    if (claims?.size === 0) this.#claims.delete(address);
    this.#pods.add(address);
  }

  #count(set: string, element: string, by: 1 | -1): void {
    let elements = this.#elements.get(set);
    if (elements === undefined) this.#elements.set(set, (elements = new Map()));
    const count = (elements.get(element) ?? 0) + by;
    if (count > 0) elements.set(element, count);
    else elements.delete(element);
    if (elements.size === 0) this.#elements.delete(set);
    if (this.#setUsers.has(set)) this.#touch(set, element);
  }

  #usePolicies(pod: LocalPod, by: 1 | -1): void {
    const keys = new Set(directions.flatMap((direction) => pod[direction] ?? []));
    for (const key of keys) {
      if (counted(this.#policyUsers, key, by)) this.#put(key, by === 1 ? this.#known.get(key) : undefined);
    }
  }

  /** Begins, changes or ends the use of a policy. */
  #put(key: string, next: PolicyPlan | undefined): void {
    const old = this.policies.get(key);
    this.#size -= old?.size ?? 0;
    const fits = next === undefined || this.#size + next.size <= nodeLimit;
    const used = next === undefined || fits ? next : denying(next);
    if (fits) this.#refused.delete(key);
    else if (!this.#refused.has(key)) {
      this.#refused.add(key);
      this.#refuse(key, `the policies of the node's Pods together have a size above ${nodeLimit}`);
    }
    if (used === undefined) this.policies.delete(key);
    else this.policies.set(key, used);
    this.#size += used?.size ?? 0;
    this.#policies.add(key);
    if (old !== undefined && used !== undefined) this.#markUsers(old, used);
    this.#useSets(used, 1);
    this.#useSets(old, -1);
    if ((used?.size ?? 0) < (old?.size ?? 0)) this.#admit();
  }

  /** Marks the Pods of a policy when it begins or ends to allow anything: Pods refer only to policies that do. */
  #markUsers(old: PolicyPlan, next: PolicyPlan): void {
    for (const direction of directions) {
      if (allowsAny(old, direction) === allowsAny(next, direction)) continue;
      for (const [address, claims] of this.#claims)
        if ([...claims.values()].some(({ pod }) => pod[direction]?.includes(next.key) === true))
          this.#pods.add(address);
    }
  }

  /** Gives rules to refused policies for which there is room now. */
  #admit(): void {
    for (const key of this.#refused) {
      const plan = this.#known.get(key);
      if (plan !== undefined && this.#size + plan.size <= nodeLimit) this.#put(key, plan);
    }
  }

  #useSets(plan: PolicyPlan | undefined, by: 1 | -1): void {
    for (const set of plan?.sets ?? []) {
      // Changes of unused sets are not recorded.
      if (counted(this.#setUsers, set, by)) this.#sets.set(set, undefined);
    }
  }

  #touch(set: string, element: string): void {
    const touched = this.#sets.get(set);
    if (touched !== undefined) touched.add(element);
    else if (!this.#sets.has(set)) this.#sets.set(set, new Set([element]));
  }
}

/** Changes a count. Returns true when it begins or ends to be used. */
function counted(counts: Map<string, number>, key: string, by: 1 | -1): boolean {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return by === 1 ? count === 1 : count === 0;
}
