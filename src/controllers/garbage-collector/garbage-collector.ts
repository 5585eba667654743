import { Client, type UntypedObject } from "../../client/client.ts";
import type { DiscoveredResource, Discovery } from "../../client/discovery.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { Informer } from "../../client/informer.ts";
import type { Transport } from "../../client/transport.ts";
import { WorkQueue } from "../../client/work-queue.ts";
import { groupResource } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import { every } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { type GraphNode, isWaitingForDependents, OwnerGraph } from "./graph.ts";
import { type OwnerState, planObject } from "./plan.ts";

export interface GarbageCollectorOptions {
  readonly env: Env;
  /** Under an identity that may read and delete everything. */
  readonly transport: Transport;
}

const workers = 4;
/** New kinds are noticed within so long. */
const rediscoverMs = 30_000;
/** Kinds that own nothing and are owned by nobody (upstream ignores them too). */
const ignored = new Set(["events", "events.events.k8s.io"]);

/**
 * Deletes what has lost its owners, and carries the three propagation policies out (upstream
 * `garbagecollector`). It follows every kind that can be listed, watched and deleted.
 */
export class GarbageCollector {
  readonly #env: Env;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #graph = new OwnerGraph();
  readonly #informers = new Map<string, Informer<UntypedObject>>();
  readonly #running: Promise<void>[] = [];
  #discovery: Discovery | undefined;

  constructor({ env, transport }: GarbageCollectorOptions) {
    this.#env = env;
    this.#client = new Client(transport, { fieldManager: "generic-garbage-collector" });
    this.#events = new EventRecorder(this.#client, env, { component: "garbage-collector-controller" });
    this.#queue = new WorkQueue({ clock: env.clock });
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#queue.shutDown(), { once: true });
    if (signal.aborted) this.#queue.shutDown();
    this.#running.push(this.#events.run(signal));
    await this.#discover(signal);
    const again = every(this.#env.clock, rediscoverMs, signal, () => this.#discover(signal));
    await Promise.all([again, ...Array.from({ length: workers }, () => this.#work())]);
    await Promise.all(this.#running);
  }

  async #discover(signal: AbortSignal): Promise<void> {
    try {
      this.#discovery = await this.#client.discovery({ signal });
    } catch (error) {
      if (!signal.aborted) this.#env.log.warn("discovery failed", { error: String(error) });
      return;
    }
    for (const resource of this.#discovery.preferred()) {
      const name = groupResource(resource);
      const follows = ["list", "watch", "delete"].every((verb) => resource.verbs.includes(verb));
      if (!follows || ignored.has(name) || this.#informers.has(name)) continue;
      const informer = new Informer(this.#client.resource(resource), this.#env, { name });
      informer.addHandler(({ type, object }) => {
        const { uid = "" } = object.metadata;
        const touched = type === "deleted" ? this.#graph.remove(uid) : this.#graph.set(object, resource);
        for (const one of touched) this.#queue.add(one);
      });
      this.#informers.set(name, informer);
      this.#running.push(informer.run(signal));
    }
  }

  async #work(): Promise<void> {
    for (let uid = await this.#queue.next(); uid !== undefined; uid = await this.#queue.next()) {
      try {
        await this.#process(uid);
        this.#queue.forget(uid);
      } catch (error) {
        this.#env.log.debug("an object could not be collected", { uid, error: String(error) });
        this.#queue.addRateLimited(uid);
      } finally {
        this.#queue.done(uid);
      }
    }
  }

  async #process(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    // Until every kind has been seen once, an owner that is missing may only be late.
    if (![...this.#informers.values()].every(({ hasSynced }) => hasSynced)) {
      this.#queue.addAfter(uid, 100);
      return;
    }
    const states = new Map<string, OwnerState>();
    for (const owner of node.owners) states.set(owner.uid, await this.#stateOf(owner, node));
    const dependents = this.#graph.dependents(node);
    const action = planObject(node, dependents, ({ uid: ownerUid }) => states.get(ownerUid) ?? "unknown");
    switch (action.type) {
      case "nothing":
        return;
      case "verify":
        return this.#verify(node);
      case "orphanDependents":
        for (const dependent of dependents) await this.#dropOwners(dependent, new Set([uid]));
        return this.#removeFinalizer(node, "orphan");
      case "removeFinalizer":
        return this.#removeFinalizer(node, action.finalizer);
      case "lookAtDependents":
        for (const dependent of dependents) if (!dependent.deleting) this.#queue.add(dependent.uid);
        return;
      case "dropOwners":
        return this.#dropOwners(node, new Set(action.uids));
      case "delete":
        if (action.unblock) await this.#unblockOwners(node);
        return this.#delete(node, action.propagationPolicy);
    }
  }

  async #stateOf(owner: OwnerReference, dependent: GraphNode): Promise<OwnerState> {
    const node = this.#graph.get(owner.uid);
    if (node?.resource !== undefined) return isWaitingForDependents(node) ? "waiting" : "solid";
    const resource = this.#discovery?.find(owner.apiVersion, owner.kind);
    if (resource === undefined) return "unknown";
    if (resource.namespaced && dependent.namespace === undefined) {
      const about = {
        apiVersion: dependent.apiVersion,
        kind: dependent.kind,
        metadata: { name: dependent.name, uid: dependent.uid },
      };
      const text = `ownerRef [${owner.apiVersion}/${owner.kind}, namespace: , name: ${owner.name}, uid: ${owner.uid}] does not exist in namespace ""`;
      this.#events.event(about, "Warning", "OwnerRefInvalidNamespace", text);
      return "unknown";
    }
    return (await this.#isThere(resource, dependent.namespace, owner.name, owner.uid)) ? "solid" : "absent";
  }

  async #isThere(
    resource: DiscoveredResource,
    namespace: string | undefined,
    name: string,
    uid: string,
  ): Promise<boolean> {
    try {
      const found = await this.#client
        .resource(resource, resource.namespaced ? namespace : undefined)
        .get(name);
      return found.metadata.uid === uid;
    } catch (error) {
      if (hasReason(error, "NotFound")) return false;
      throw error;
    }
  }

  /** An owner that only others know of: when it is not there, it is as if it had been deleted just now. */
  async #verify(node: GraphNode): Promise<void> {
    const resource = this.#discovery?.find(node.apiVersion, node.kind);
    if (resource === undefined) return;
    if (await this.#isThere(resource, node.namespace, node.name, node.uid)) return;
    if (this.#graph.get(node.uid)?.resource !== undefined) return;
    for (const touched of this.#graph.remove(node.uid)) this.#queue.add(touched);
  }

  #resourceClient({ resource, namespace }: GraphNode) {
    if (resource === undefined) throw new TypeError("only objects that were seen are changed");
    return this.#client.resource(resource, namespace);
  }

  /** Reads the object and changes its metadata; gone is as good as changed. */
  async #change(
    node: GraphNode,
    change: (metadata: UntypedObject["metadata"]) => object | undefined,
  ): Promise<void> {
    const client = this.#resourceClient(node);
    try {
      const { metadata } = await client.get(node.name);
      const changes = metadata.uid === node.uid ? change(metadata) : undefined;
      if (changes === undefined) return;
      const { uid, resourceVersion } = metadata;
      await client.patch(node.name, { metadata: { uid, resourceVersion, ...changes } }, { type: "merge" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
  }

  #dropOwners(node: GraphNode, uids: ReadonlySet<string>): Promise<void> {
    return this.#change(node, ({ ownerReferences = [] }) => {
      const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
      return kept.length === ownerReferences.length ? undefined : { ownerReferences: kept };
    });
  }

  #unblockOwners(node: GraphNode): Promise<void> {
    return this.#change(node, ({ ownerReferences = [] }) => {
      if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return undefined;
      return { ownerReferences: ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false })) };
    });
  }

  #removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    return this.#change(node, ({ finalizers = [] }) =>
      finalizers.includes(finalizer)
        ? { finalizers: finalizers.filter((one) => one !== finalizer) }
        : undefined,
    );
  }

  async #delete(node: GraphNode, propagationPolicy: "Orphan" | "Foreground" | "Background"): Promise<void> {
    try {
      await this.#resourceClient(node).delete(node.name, {
        propagationPolicy,
        preconditions: { uid: node.uid },
      });
    } catch (error) {
      // Gone, or another object by the same name.
      if (!hasReason(error, "NotFound", "Conflict")) throw error;
    }
  }
}
