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

/** The kind of an owner is not served: it may be some day, or the reference may be wrong. Try again. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/**
 * Tells how the owners of objects stand. What the graph has seen under the very name that a reference gives counts as
 * it is there; everything else is asked for at the API server. That an owner is absent is only ever its word.
 */
export class OwnerStates {
  readonly #client: Client;
  readonly #events: EventSink;
  readonly #graph: OwnerGraph;
  /** Owners that are known to be gone: a thousand dependents must not ask a thousand times. UIDs do not come back. */
  readonly #absent = new LruMap<string, true>(absentCapacity);

  constructor(client: Client, events: EventSink, graph: OwnerGraph) {
    this.#client = client;
    this.#events = events;
    this.#graph = graph;
  }

  /** @throws UnknownKindError, and whatever the API server answers but NotFound. */
  async stateOf(owner: OwnerReference, dependent: GraphNode, discovery: Discovery): Promise<OwnerState> {
    const node = this.#graph.get(owner.uid);
    if (node?.resource !== undefined) {
      const reachable = node.namespace === undefined || node.namespace === dependent.namespace;
      if (reachable && isCalled(node, owner)) return isWaitingForDependents(node) ? "waiting" : "solid";
      if (!reachable) this.#reportNamespace(owner, dependent);
    }
    return this.lookUp(owner, dependent.namespace, discovery);
  }

  /** The state by the API server's word. `namespace` is where the owner is if its kind has namespaces. */
  async lookUp(owner: Coordinates, namespace: string | undefined, discovery: Discovery): Promise<OwnerState> {
    const resource = discovery.find(owner.apiVersion, owner.kind);
    if (resource === undefined)
      throw new UnknownKindError(`Cannot look up owner: no kind ${owner.kind} in ${owner.apiVersion}`);
    // Whoever has no namespace cannot say in which one the owner is.
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
