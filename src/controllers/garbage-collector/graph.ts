import type { DiscoveredResource } from "../../client/discovery.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { OwnerReference } from "../../meta/v1.ts";

/** One object in the graph of ownership. */
export interface GraphNode {
  readonly uid: string;
  /** Taken from a dependent until the object itself is seen. */
  namespace: string | undefined;
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a node that is only known because others name it as their owner. */
  resource: DiscoveredResource | undefined;
  owners: readonly OwnerReference[];
  finalizers: readonly string[];
  deleting: boolean;
  /** UIDs of objects that name this one as an owner. */
  readonly dependents: Set<string>;
}

/** What owns what, by UID. Owners that nobody has seen are in it too, until it is known that they are gone. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  dependents(node: GraphNode): GraphNode[] {
    return [...node.dependents].flatMap((uid) => this.#nodes.get(uid) ?? []);
  }

  /** Takes an object's present state in. Answers with the UIDs that are worth a look. */
  set(object: KubeObject, resource: DiscoveredResource): string[] {
    const {
      uid = "",
      namespace,
      name = "",
      ownerReferences = [],
      finalizers = [],
      deletionTimestamp,
    } = object.metadata;
    const known = this.#nodes.get(uid);
    const node: GraphNode = known ?? newNode(uid, namespace, name, object.apiVersion, object.kind);
    const before = known?.owners ?? [];
    const wasKnown = known?.resource !== undefined;
    node.resource = resource;
    node.namespace = namespace;
    node.owners = ownerReferences;
    node.finalizers = finalizers;
    node.deleting = deletionTimestamp !== undefined;
    this.#nodes.set(uid, node);
    const touched = new Set<string>();
    this.#relink(node, before, touched);
    // A new object may belong to somebody who is gone, and one that is ending may wait for its dependents.
    if (!wasKnown || ownerReferences !== before || node.deleting) touched.add(uid);
    if (isWaitingForDependents(node)) for (const dependent of node.dependents) touched.add(dependent);
    return [...touched];
  }

  /** The object is gone. Its dependents are worth a look, and the owners that waited for it. */
  remove(uid: string): string[] {
    const node = this.#nodes.get(uid);
    if (node === undefined) return [];
    this.#nodes.delete(uid);
    const touched = [...node.dependents];
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      owner?.dependents.delete(uid);
      if (owner !== undefined && isWaitingForDependents(owner)) touched.push(ownerUid);
    }
    return touched;
  }

  #relink(node: GraphNode, before: readonly OwnerReference[], touched: Set<string>): void {
    const now = new Set(node.owners.map(({ uid }) => uid));
    for (const { uid } of before) {
      if (now.has(uid)) continue;
      const owner = this.#nodes.get(uid);
      owner?.dependents.delete(node.uid);
      if (owner !== undefined && isWaitingForDependents(owner)) touched.add(uid);
    }
    for (const { uid, apiVersion, kind, name } of node.owners) {
      let owner = this.#nodes.get(uid);
      if (owner === undefined) {
        owner = newNode(uid, node.namespace, name, apiVersion, kind);
        this.#nodes.set(uid, owner);
        touched.add(uid);
      }
      owner.dependents.add(node.uid);
    }
  }
}

function newNode(
  uid: string,
  namespace: string | undefined,
  name: string,
  apiVersion: string,
  kind: string,
): GraphNode {
  return {
    uid,
    namespace,
    name,
    apiVersion,
    kind,
    resource: undefined,
    owners: [],
    finalizers: [],
    deleting: false,
    dependents: new Set(),
  };
}

/** Deleted in the foreground: it goes after the dependents that block it. */
export function isWaitingForDependents({ deleting, finalizers }: GraphNode): boolean {
  return deleting && finalizers.includes("foregroundDeletion");
}

/** Deleted, and its dependents shall stay. */
export function isOrphaning({ deleting, finalizers }: GraphNode): boolean {
  return deleting && finalizers.includes("orphan");
}
