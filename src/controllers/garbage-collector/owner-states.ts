import type { Client } from "../../client/client.ts";
import type { Discovery } from "../../client/discovery.ts";
import type { EventSink } from "../../client/event-recorder.ts";
import { hasReason } from "../../meta/status.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import { LruMap } from "../../util/lru.ts";
import { type GraphNode, isWaitingForDependents, type OwnerGraph } from "./graph.ts";
import type { OwnerState } from "./plan.ts";

type Coordinates = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;

/** Upstream's size of the same cache. */
const absentCapacity = 500;

/**
 * The kind of an owner is not served: a definition may come later, or the reference may be wrong. The caller
 * retries.
 */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/**
 * Looks up the states of owners. The graph answers for an owner whose coordinates match the reference
 * exactly; the API server answers for every other. Only the API server can report an owner absent.
 */
export class OwnerStates {
  readonly #client: Client;
  readonly #events: EventSink;
  readonly #graph: OwnerGraph;
  /**
   * Owners that are known to be absent: without it, a thousand dependents would cause a thousand requests.
   * UIDs are unique over time, so an absent owner stays absent.
   */
  readonly #absent = new LruMap<string, true>(absentCapacity);

  constructor(client: Client, events: EventSink, graph: OwnerGraph) {
    this.#client = client;
    this.#events = events;
    this.#graph = graph;
  }

  /** @throws UnknownKindError, and any error of the API server except NotFound. */
  async stateOf(owner: OwnerReference, dependent: GraphNode, discovery: Discovery): Promise<OwnerState> {
    const node = this.#graph.get(owner.uid);
    if (node?.resource !== undefined) {
      const reachable = node.namespace === undefined || node.namespace === dependent.namespace;
      if (reachable && isCalled(node, owner)) return isWaitingForDependents(node) ? "waiting" : "solid";
      if (!reachable) this.#reportNamespace(owner, dependent);
    }
    return this.lookUp(owner, dependent.namespace, discovery);
  }

  /** Asks the API server. `namespace` is the owner's, if its kind is namespaced. */
  async lookUp(owner: Coordinates, namespace: string | undefined, discovery: Discovery): Promise<OwnerState> {
    const resource = discovery.find(owner.apiVersion, owner.kind);
    if (resource === undefined)
      throw new UnknownKindError(`Cannot look up owner: no kind ${owner.kind} in ${owner.apiVersion}`);
    // A cluster-scoped dependent cannot name the namespace of its owner.
    if (resource.namespaced && namespace === undefined) return "unknown";
    const place = resource.namespaced ? namespace : undefined;
    const key = [owner.apiVersion, owner.kind, place ?? "", owner.name, owner.uid].join("\0");
    if (this.#absent.get(key) === true) return "absent";
    try {
      const { metadata } = await this.#client.resource(resource, place).get(owner.name);
      if (metadata.uid === owner.uid) {
        const { deletionTimestamp, finalizers = [] } = metadata;
        const deleting = deletionTimestamp !== undefined;
        return isWaitingForDependents({ deleting, finalizers }) ? "waiting" : "solid";
      }
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
    this.#absent.set(key, true);
    return "absent";
  }

  #reportNamespace({ apiVersion, kind, name, uid }: OwnerReference, dependent: GraphNode): void {
    const { namespace = "" } = dependent;
    const place = { ...(namespace === "" ? {} : { namespace }), name: dependent.name, uid: dependent.uid };
    const about = { apiVersion: dependent.apiVersion, kind: dependent.kind, metadata: place };
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const text = `ownerRef ${owner} does not exist in namespace "${namespace}"`;
    this.#events.event(about, "Warning", "OwnerRefInvalidNamespace", text);
  }
}

function isCalled(node: GraphNode, { apiVersion, kind, name }: OwnerReference): boolean {
  return node.apiVersion === apiVersion && node.kind === kind && node.name === name;
}
