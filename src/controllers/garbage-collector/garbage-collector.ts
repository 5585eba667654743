import { Client } from "../../client/client.ts";
import { Discovery } from "../../client/discovery.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import type { Transport } from "../../client/transport.ts";
import { WorkQueue } from "../../client/work-queue.ts";
import { groupResource, groupVersion } from "../../meta/kind.ts";
import { sleep } from "../../util/clock.ts";
import { withDeadline } from "../../util/deadline.ts";
import type { Env } from "../../util/env.ts";
import { Follower } from "./follower.ts";
import { type GraphNode, OwnerGraph } from "./graph.ts";
import { Objects } from "./objects.ts";
import { OwnerStates } from "./owner-states.ts";
import { type OwnerState, planObject } from "./plan.ts";

export interface GarbageCollectorOptions {
  readonly env: Env;
  /** Acts as an identity that may read and delete everything. */
  readonly transport: Transport;
}

const workers = 20;
/** The time after which new kinds are noticed. CustomResourceDefinitions are noticed at once. */
const rediscoverMs = 30_000;
/** CustomResourceDefinitions that are written within this time share one discovery. */
const settleMs = 100;
const definitions = "customresourcedefinitions.apiextensions.k8s.io";
/** The greatest time for which a kind that cannot be read delays the others. */
const syncMs = 30_000;
/** Kinds that neither own objects nor have owners (upstream ignores them too). */
const ignored = new Set(["events", "events.events.k8s.io"]);

/**
 * Deletes the dependents of deleted owners, and implements the three propagation policies (upstream
 * `garbagecollector`). It follows every kind that can be listed, watched and deleted.
 */
export class GarbageCollector {
  readonly #env: Env;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #graph = new OwnerGraph();
  readonly #states: OwnerStates;
  readonly #objects: Objects;
  /** By `plural.group`. */
  readonly #following = new Map<string, Follower>();
  readonly #running = new Set<Promise<void>>();
  #discovery = new Discovery([], []);
  #definitionsChanged = Promise.withResolvers<void>();

  constructor({ env, transport }: GarbageCollectorOptions) {
    this.#env = env;
    this.#client = new Client(transport, { fieldManager: "generic-garbage-collector" });
    this.#events = new EventRecorder(this.#client, env, { component: "garbage-collector-controller" });
    this.#queue = new WorkQueue({
      clock: env.clock,
      name: "garbage_collector_attempt_to_delete",
      metrics: env.metrics,
    });
    this.#states = new OwnerStates(this.#client, this.#events, this.#graph);
    this.#objects = new Objects(this.#client);
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#queue.shutDown();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.#keep(this.#events.run(signal));
    const { clock } = this.#env;
    await this.#discover(signal);
    const synced = [...this.#following.values()].map((follower) => follower.whenSynced());
    await withDeadline(clock, syncMs, signal, () => Promise.all(synced));
    await Promise.all([this.#rediscover(signal), ...Array.from({ length: workers }, () => this.#work())]);
    await Promise.all(this.#running);
  }

  async #rediscover(signal: AbortSignal): Promise<void> {
    const { clock } = this.#env;
    while (!signal.aborted) {
      await withDeadline(clock, rediscoverMs, signal, () => this.#definitionsChanged.promise);
      await sleep(clock, settleMs, signal);
      // Set before the discovery: a change during it causes another one.
      this.#definitionsChanged = Promise.withResolvers<void>();
      await this.#discover(signal);
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    try {
      this.#discovery = await this.#client.discovery({ signal });
    } catch (error) {
      if (!signal.aborted) this.#env.log.warn("Cannot discover kinds: will try again", { error });
      return;
    }
    const wanted = new Map(
      this.#discovery
        .preferred()
        .filter(({ verbs }) => ["list", "watch", "delete"].every((verb) => verbs.includes(verb)))
        .map((resource) => [groupResource(resource), resource]),
    );
    for (const [name, following] of this.#following) {
      const isUnknown = this.#discovery.failed.includes(groupVersion(following.resource));
      if (wanted.has(name) || isUnknown) continue;
      following.leave();
      this.#following.delete(name);
    }
    for (const [name, resource] of wanted) {
      if (ignored.has(name) || this.#following.has(name)) continue;
      const source = this.#client.resource(resource);
      const look = (uids: Iterable<string>) => {
        if (name === definitions) this.#definitionsChanged.resolve();
        this.#look(uids);
      };
      const follower = new Follower(source, resource, this.#graph, look, this.#env);
      this.#following.set(name, follower);
      this.#keep(follower.run(signal));
    }
  }

  #keep(running: Promise<void>): void {
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  #look(uids: Iterable<string>): void {
    for (const uid of uids) if (!this.#isAtRest(uid)) this.#queue.add(uid);
  }

  /** Reports whether the object exists, is not being deleted and has no owners, as most objects do. */
  #isAtRest(uid: string): boolean {
    const node = this.#graph.get(uid);
    return node?.resource !== undefined && node.owners.length === 0 && !node.deleting;
  }

  async #work(): Promise<void> {
    for (let uid = await this.#queue.next(); uid !== undefined; uid = await this.#queue.next()) {
      try {
        await this.#process(uid);
        this.#queue.forget(uid);
      } catch (error) {
        const delayMs = this.#queue.addRateLimited(uid);
        this.#env.log.debug("Cannot collect an object: will try again", { uid, error, delayMs });
      } finally {
        this.#queue.done(uid);
      }
    }
  }

  async #process(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    const dependents = this.#graph.dependents(node);
    const states = new Map<string, OwnerState>();
    if (!node.deleting) {
      for (const owner of node.owners) {
        states.set(owner.uid, await this.#states.stateOf(owner, node, this.#discovery));
      }
    }
    const action = planObject(node, dependents, (owner) => states.get(owner.uid) ?? "unknown");
    switch (action.type) {
      case "nothing":
        return;
      case "verify":
        return this.#verify(node);
      case "orphanDependents":
        await Promise.all(dependents.map((one) => this.#objects.dropOwners(one, new Set([uid]))));
        return this.#objects.removeFinalizer(node, "orphan");
      case "removeFinalizer":
        return this.#objects.removeFinalizer(node, action.finalizer);
      case "lookAtDependents":
        return this.#look(dependents.filter(({ deleting }) => !deleting).map((one) => one.uid));
      case "dropOwners":
        return this.#objects.dropOwners(node, new Set(action.uids));
      case "delete":
        if (action.unblock) return this.#objects.unblockOwners(node);
        if (!(await this.#objects.delete(node, action.propagationPolicy))) this.#forget(node);
    }
  }

  /**
   * Looks up an owner that is only known from its dependents. A missing owner is handled as if it had just
   * been deleted.
   * @throws StillVirtualError when the owner exists: the lookup is repeated until an informer has seen the
   * owner, because it may be deleted before.
   */
  async #verify(node: GraphNode): Promise<void> {
    const state = await this.#states.lookUp(node, node.namespace, this.#discovery);
    if (state === "absent") this.#forget(node);
    else if (state !== "unknown")
      throw new StillVirtualError("Cannot process an owner: no informer has seen it yet");
  }

  /** Removes the node because the API server does not have the object. */
  #forget(node: GraphNode): void {
    if (this.#graph.get(node.uid) === node) this.#look(this.#graph.remove(node.uid));
  }
}

/** No informer has seen the object yet; the caller retries. */
class StillVirtualError extends Error {
  override readonly name = "StillVirtualError";
}
