import type { DiscoveredResource } from "../../client/discovery.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import { deepEqual } from "../../util/deep-equal.ts";

/** An object in the graph of owners and dependents. */
export interface GraphNode {
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a virtual node, which is only known from its dependents' owner references. */
  readonly resource: DiscoveredResource | undefined;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly deleting: boolean;
  /** UIDs of the objects that reference this one as an owner. */
  readonly dependents: ReadonlySet<string>;
}

/**
 * The graph of owners and dependents, by UID. It also holds owners that no informer has seen, until they are
 * known to be absent.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  /** By the owner's UID. An entry exists as long as dependents do, with or without a node for the owner. */
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  dependents(node: GraphNode): GraphNode[] {
    return [...node.dependents].flatMap((uid) => this.#nodes.get(uid) ?? []);
  }

  /** Stores an object's present state. Returns the UIDs that are worth processing. */
  set(object: KubeObject, resource: DiscoveredResource): ReadonlySet<string> {
    const { uid = "", namespace, name = "", deletionTimestamp } = object.metadata;
    const { ownerReferences: owners = [], finalizers = [] } = object.metadata;
    const before = this.#nodes.get(uid);
    const { apiVersion, kind } = object;
    const dependents = this.#dependentsOf(uid);
    const deleting = deletionTimestamp !== undefined;
    const node = {
      uid,
      namespace,
      name,
      apiVersion,
      kind,
      resource,
      owners,
      finalizers,
      deleting,
      dependents,
    };
    this.#nodes.set(uid, node);
    if (before !== undefined && isSame(before, node)) return new Set();
    const touched = new Set([uid]);
    this.#relink(before, node, touched);
    // Dependents that referenced the object by other coordinates, or whose owner now waits for them
    // (foreground deletion).
    const isNew = before?.resource === undefined;
    if (isNew || isWaitingForDependents(node)) for (const one of dependents) touched.add(one);
    return touched;
  }

  /** Removes a deleted object. Returns its dependents, and the owners that waited for it. */
  remove(uid: string): ReadonlySet<string> {
    const node = this.#nodes.get(uid);
    if (node === undefined) return new Set();
    this.#nodes.delete(uid);
    const touched = new Set(node.dependents);
    for (const owner of node.owners) this.#unlink(owner.uid, uid, touched);
    if (node.dependents.size === 0) this.#dependents.delete(uid);
    return touched;
  }

  #relink(before: GraphNode | undefined, node: GraphNode, touched: Set<string>): void {
    const now = new Map(node.owners.map((owner) => [owner.uid, owner]));
    for (const old of before?.owners ?? []) {
      const next = now.get(old.uid);
      if (next === undefined) this.#unlink(old.uid, node.uid, touched);
      else if (next.blockOwnerDeletion !== old.blockOwnerDeletion) this.#wakeWaiting(old.uid, touched);
    }
    for (const owner of node.owners) {
      this.#dependentsOf(owner.uid).add(node.uid);
      if (this.#nodes.has(owner.uid)) continue;
      this.#nodes.set(owner.uid, this.#virtual(owner, node.namespace));
      touched.add(owner.uid);
    }
  }

  #unlink(owner: string, dependent: string, touched: Set<string>): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0 && !this.#nodes.has(owner)) this.#dependents.delete(owner);
    this.#wakeWaiting(owner, touched);
  }

  #wakeWaiting(owner: string, touched: Set<string>): void {
    const node = this.#nodes.get(owner);
    if (node !== undefined && isWaitingForDependents(node)) touched.add(owner);
  }

  /**
   * Makes a node from an owner reference. Its namespace is the dependent's, if the owner's kind is
   * namespaced.
   */
  #virtual({ uid, apiVersion, kind, name }: OwnerReference, namespace: string | undefined): GraphNode {
    const dependents = this.#dependentsOf(uid);
    const unseen = { resource: undefined, owners: [], finalizers: [], deleting: false };
    return { uid, namespace, name, apiVersion, kind, dependents, ...unseen };
  }

  #dependentsOf(uid: string): Set<string> {
    const present = this.#dependents.get(uid);
    if (present !== undefined) return present;
    const made = new Set<string>();
    this.#dependents.set(uid, made);
    return made;
  }
}

/** Reports whether the change leaves everything that the plan reads unchanged. */
function isSame(a: GraphNode, b: GraphNode): boolean {
  return (
    a.resource !== undefined &&
    a.deleting === b.deleting &&
    deepEqual(a.owners, b.owners) &&
    deepEqual(a.finalizers, b.finalizers)
  );
}

/**
 * Reports whether the object is being deleted in the foreground: it is deleted after its blocking dependents.
 */
export function isWaitingForDependents({
  deleting,
  finalizers,
}: Pick<GraphNode, "deleting" | "finalizers">): boolean {
  return deleting && finalizers.includes("foregroundDeletion");
}

/** Reports whether the object is being deleted and its dependents are to be orphaned. */
export function isOrphaning({ deleting, finalizers }: GraphNode): boolean {
  return deleting && finalizers.includes("orphan");
}
